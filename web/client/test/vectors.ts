import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FieldInput } from '../src/composition/value.ts'
import type { Access, Concept } from '../src/graph/concept.ts'
import type { Connection } from '../src/graph/connection.ts'
import { type ErrorKind, WeftError } from '../src/graph/error.ts'
import { categoryInstance, categoryWord, word } from '../src/graph/fixed.ts'
import type { Id } from '../src/graph/id.ts'
import { Graph } from '../src/local/graph.ts'
import type { Answer, Query } from '../src/query/query.ts'

/** Given this, the rule answers `want`, or refuses with an error of kind `invalid`. */
export interface Case {
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: every area has a shape of its own
  readonly given: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly want?: any
  readonly invalid?: ErrorKind
}

/** The cases of an area. One without cases fails: a test that reads nothing proves nothing. */
export function vectors(area: string): Case[] {
  const folder = join(import.meta.dirname, '../../../vectors', area)
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  if (files.length === 0) throw new Error(`no cases in vectors/${area}`)
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

/** The kind of error that calling something ends in, undefined when it does not. */
export function refusal(call: () => unknown): ErrorKind | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    if (error instanceof WeftError) return error.kind
    throw error
  }
}

/** A small graph in a case. A concept without a value is a composition; a type is a name, or an id. */
export interface GraphCase {
  readonly concepts: readonly ({ id: Id; type: string; value?: string } & Held)[]
  readonly connections: readonly ({ id: Id; from: Id; to: Id; type: string | Id } & Held)[]
}

/** Whose a record is, if it matters. */
interface Held {
  readonly owner?: Id
  readonly access?: Access
}

/** The graph of a case in the graph of the page. Types have the ids from 9001 on, as mentioned first. */
export function seed({ concepts, connections }: GraphCase): Graph {
  const types = new Map<string, Id>()
  const typeId = (name: string | Id): Id => {
    if (typeof name === 'number') return name
    const known = types.get(name)
    if (known !== undefined) return known
    types.set(name, 9001 + types.size)
    return 9000 + types.size
  }
  const given = {
    concepts: concepts.map(({ id, type, value, ...held }) => ({
      ...concept(id, typeId(type), value),
      ...held,
    })),
    connections: connections.map(({ id, from, to, type, ...held }) => ({
      ...connection(id, from, to, typeId(type)),
      ...held,
    })),
  }
  const graph = new Graph()
  graph.add({ concepts: [...types].map(([name, id]) => typeConcept(id, name)), connections: [] })
  graph.add(given)
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

/** Record n is n seconds younger than 2024. */
const created = (id: Id): string => new Date(Date.UTC(2024, 0, 1) + id * 1000).toISOString()

/** What a query finds in the graph of a case, as cases write it. */
export function queried(
  run: (graph: Graph, query: Query) => Answer,
  given: { readonly graph: GraphCase; readonly query: Query },
): object {
  const graph = seed(given.graph)
  const { roots, links, reverse, counts, total, order, more } = run(graph, given.query)
  const answer = {
    roots,
    links,
    reverse,
    counts: counts.map(({ of, type, n }) => ({ of, type: graph.concept(type)?.value, n })),
  }
  const groups = more?.groups?.map(({ top, ...group }) => ({
    ...group,
    top: top.map(({ id, count }) => ({ concept: id, n: count })),
  }))
  return { ...answer, ...(groups && { groups }), total, order }
}

/** So many records, each in the other. */
export function nested(depth: number): FieldInput {
  let value: FieldInput = 'at the bottom'
  for (let i = 0; i < depth; i++) value = { in: value }
  return value
}
