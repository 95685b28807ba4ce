import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { withoutPrefix } from '../graph/type.ts'
import { buildFields, type Drafts, type Ghosts } from './build.ts'
import { keyOf } from './read.ts'
import { byAge, inside, type Reader } from './reader.ts'
import { type FieldInput, type FieldsInput, put } from './value.ts'

/** Drafts to add, and connections to remove in the same batch. */
export interface Patch extends Drafts {
  readonly removeConnections: Id[]
}

/**
 * What it takes to replace fields of a composition, or of the record of inside it. Only the fields named change; a nested record or list
 * replaces the whole of what stood there, and connections that can no longer be reached from the main
 * concept go with it. A field that already has that text is left alone. Throws `notFound` when the
 * composition is not here.
 */
export function patch(
  graph: Reader,
  main: Id,
  changes: FieldsInput,
  ghosts: Ghosts,
  of = main,
): Patch {
  if (!graph.concept(main)?.composition)
    throw new WeftError('notFound', `record ${main} is not loaded`)
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
  buildFields(out, main, todo, ghosts, of)
  // A text leads nowhere: without it everything else is still reached.
  if (leaves) {
    out.removeConnections.push(...gone.sort(byAge))
    return out
  }
  const after = new Set(inside(graph, main, new Set(gone)))
  for (const link of inside(graph, main)) {
    if (!after.has(link)) out.removeConnections.push(link.id)
  }
  return out
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
