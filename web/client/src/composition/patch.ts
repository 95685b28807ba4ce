import type { Concept } from '../graph/concept.ts'
import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { withoutPrefix } from '../graph/type.ts'
import { buildFields, type Draft } from './build.ts'
import { keyOf } from './read.ts'
import { byAge, inside, type Reader } from './reader.ts'
import { type FieldInput, type FieldsInput, put } from './value.ts'

/**
 * Adds to the draft what it takes to replace fields of a composition, or of the record of inside it, and returns the
 * connections to remove in the same write. Only the fields named change; a nested record or list
 * replaces the whole of what stood there, and connections that can no longer be reached from the main
 * concept go with it. A field that already has that text is left alone. Throws `notFound` when the
 * composition is not here.
 */
export function patch(
  graph: Reader,
  main: Id,
  changes: FieldsInput,
  draft: Draft,
  of = main,
): Id[] {
  if (!graph.concept(main)?.composition)
    throw new WeftError('notFound', `record ${main} is not loaded`)
  const gone: Id[] = []
  let leaves = true
  const todo: Record<string, FieldInput> = {}
  const links = graph.out(of, main)
  for (const key of Object.keys(changes)) {
    const value = changes[key] as FieldInput
    const name = withoutPrefix(key)
    const before = gone.length
    let old: Concept | undefined
    for (const { id, to } of links) {
      const end = graph.concept(to)
      if (!end || keyOf(graph, end.type) !== name) continue
      old = end
      gone.push(id)
      leaves &&= end.value !== ''
    }
    if (old && gone.length === before + 1 && holds(old, value)) gone.pop()
    else put(todo, key, value)
  }
  buildFields(draft, main, todo, of)
  // A text leads nowhere: without it everything else is still reached.
  if (leaves) return gone.sort(byAge)
  const after = new Set(inside(graph, main, new Set(gone)))
  return inside(graph, main).flatMap((link) => (after.has(link) ? [] : link.id))
}

const holds = (concept: Concept, value: unknown): boolean => {
  const scalar = value === null || typeof value !== 'object'
  return scalar && !concept.composition && concept.value === String(value)
}
