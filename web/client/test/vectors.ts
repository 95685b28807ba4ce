import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FieldInput } from '../src/composition/value.ts'
import { Graph } from '../src/local/graph.ts'
import type { Access, Concept } from '../src/model/concept.ts'
import type { Connection } from '../src/model/connection.ts'
import { type ErrorKind, WeftError } from '../src/model/error.ts'
import { categoryInstance, categoryWord, word } from '../src/model/fixed.ts'
import type { Id } from '../src/model/id.ts'
import type { Answer, Query } from '../src/query/query.ts'

/** A case: for `given`, the rule returns `want` or throws an error of the kind `invalid`. */
export interface Case {
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: each area has its own format
  readonly given: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly want?: any
  readonly invalid?: ErrorKind
}

/** Reads the cases of an area. Throws if there are none. */
export function vectors(area: string): Case[] {
  const folder = join(import.meta.dirname, '../../../spec', area)
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  if (files.length === 0) throw new Error(`no cases in spec/${area}`)
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

/** Returns the kind of error that a function throws, or undefined. */
export function refusal(call: () => unknown): ErrorKind | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    if (error instanceof WeftError) return error.kind
    throw error
  }
}

/** The graph of a case. A concept without a value is a composition; a type is a name or an id. */
export interface GraphCase {
  readonly concepts: readonly ({ id: Id; type: string; value?: string } & Ownership)[]
  readonly connections: readonly ({ id: Id; from: Id; to: Id; type: string | Id } & Ownership)[]
}

/** Owner and access of a record, if they matter in the case. */
interface Ownership {
  readonly owner?: Id
  readonly access?: Access
}

/** Loads the graph of a case. Types have the ids from 9001, in order of first use. */
export function seed({ concepts, connections }: GraphCase): Graph {
  const types = new Map<string, Id>()
  const typeId = (name: string | Id): Id => {
    if (typeof name === 'number') return name
    const known = types.get(name)
    if (known !== undefined) return known
    types.set(name, 9001 + types.size)
    return 9000 + types.size
  }
  const records = {
    concepts: concepts.map(({ id, type, value, ...ownership }) => ({
      ...concept(id, typeId(type), value),
      ...ownership,
    })),
    connections: connections.map(({ id, from, to, type, ...ownership }) => ({
      ...connection(id, from, to, typeId(type)),
      ...ownership,
    })),
  }
  const graph = new Graph()
  graph.add({ concepts: [...types].map(([name, id]) => typeConcept(id, name)), connections: [] })
  graph.add(records)
  return graph
}

export const concept = (id: Id, type: Id, value: string | undefined): Concept => ({
  id,
  type,
  category: categoryInstance,
  value: value ?? '',
  owner: 7,
  access: 4,
  composition: value === undefined,
  created: created(id),
})

export const typeConcept = (id: Id, name: string): Concept => ({
  ...concept(id, word, name),
  category: categoryWord,
})

export const connection = (id: Id, from: Id, to: Id, type: Id): Connection => ({
  id,
  from,
  to,
  type,
  order: 1,
  owner: 7,
  access: 4,
  created: created(id),
})

/** The creation time of record n: n seconds after the start of 2024. */
const created = (id: Id): string => new Date(Date.UTC(2024, 0, 1) + id * 1000).toISOString()

/** Returns the answer to a query in the form of the cases. */
export function answerOf(
  run: (graph: Graph, query: Query) => Answer,
  given: { readonly graph: GraphCase; readonly query: Query },
): object {
  const graph = seed(given.graph)
  const { roots, links, reverse, counts, total, order, details } = run(graph, given.query)
  const answer = {
    roots,
    links,
    reverse,
    counts: counts.map(({ of, type, n }) => ({ of, type: graph.concept(type)?.value, n })),
  }
  const groups = details?.groups?.map(({ top, ...group }) => ({
    ...group,
    top: top.map(({ id, count }) => ({ concept: id, n: count })),
  }))
  return { ...answer, ...(groups && { groups }), total, order }
}

/** Returns records nested to this depth. */
export function nested(depth: number): FieldInput {
  let value: FieldInput = 'at the bottom'
  for (let i = 0; i < depth; i++) value = { in: value }
  return value
}
