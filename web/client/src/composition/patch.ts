import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { withoutPrefix } from '../graph/type.ts'
import { buildFields, type Drafts, type Ghosts } from './build.ts'
import { keyOf } from './read.ts'
import { byAge, type Reader } from './reader.ts'
import { type FieldInput, type FieldsInput, put } from './value.ts'

/** Drafts to add, and connections to remove in the same batch. */
export interface Patch extends Drafts {
  readonly removeConnections: Id[]
}

/**
 * What it takes to replace fields of a composition, or of one record `of` inside it. Only the fields
 * named change; a nested record or list replaces the whole of what stood there, and connections that can
 * no longer be reached from the main concept go with it. A field that already has that text is left alone.
 * Throws `notFound` when `of` is not part of the composition.
 */
export function patch(
  graph: Reader,
  main: Id,
  changes: FieldsInput,
  ghosts: Ghosts,
  of: Id = main,
): Patch {
  const record = graph.concept(of)
  const depth = of === main ? 1 : record && reach(graph, main).depth.get(record.id)
  if (depth === undefined || record?.value !== '')
    throw new WeftError('notFound', `concept ${of} is not a record of composition ${main}`)
  const out: Patch = { concepts: [], connections: [], removeConnections: [] }
  const gone: Id[] = []
  let leaves = true
  const todo: Record<string, FieldInput> = {}
  const links = graph.out(of, main)
  for (const [key, value] of Object.entries(changes)) {
    const name = withoutPrefix(key)
    const old = links.filter((at) => keyOfEnd(graph, at.to) === name)
    const [first] = old
    if (old.length === 1 && first && holds(graph, first.to, value)) continue
    for (const link of old) {
      gone.push(link.id)
      leaves &&= !!graph.concept(link.to)?.value
    }
    put(todo, key, value)
  }
  buildFields(out, { main, parent: of, depth }, todo, ghosts)
  // A text leads nowhere: without it everything else is still reached.
  if (leaves) {
    out.removeConnections.push(...gone.sort(byAge))
    return out
  }
  const after = reach(graph, main, new Set(gone))
  for (const link of reach(graph, main).links) {
    if (!after.links.has(link)) out.removeConnections.push(link)
  }
  return out
}

/** The records and connections of a composition that can be reached without some connections. */
function reach(graph: Reader, main: Id, without?: Set<Id>) {
  const depth = new Map<Id, number>([[graph.concept(main)?.id ?? main, 1]])
  const links = new Set<Id>()
  for (const [id, level] of depth) {
    if (graph.concept(id)?.value) continue
    for (const link of graph.out(id, main)) {
      if (without?.has(link.id)) continue
      links.add(link.id)
      if (!depth.has(link.to)) depth.set(link.to, level + 1)
    }
  }
  return { depth, links }
}

const keyOfEnd = (graph: Reader, id: Id): string | undefined => {
  const concept = graph.concept(id)
  return concept && keyOf(graph, concept.type)
}

const holds = (graph: Reader, id: Id, value: unknown): boolean => {
  const concept = graph.concept(id)
  const scalar = value === null || typeof value !== 'object'
  return scalar && concept?.composition === false && concept.value === String(value)
}
