import type { Access, Concept } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import { WeftError } from '../model/error.ts'
import { anonymous } from '../model/fixed.ts'
import { type Id, isReal } from '../model/id.ts'
import { withoutPrefix } from '../model/type.ts'
import { buildFields, type Draft } from './build.ts'
import { fieldNameOf } from './read.ts'
import { byAge, collectInside, type Reader } from './reader.ts'
import { type FieldInput, type FieldsInput, setOwn } from './value.ts'

/** The record that a patch changes: the composition `main`, or the record `of` inside it. */
export interface Target {
  readonly main: Id
  readonly of?: Id
  /** The access of the new values. Default: the access of the values that they replace. */
  readonly access?: Access | undefined
  /** Names of fields to remove. */
  readonly removed?: readonly string[]
}

/**
 * Replaces fields of a record: adds the new values to the draft, and returns the connections to remove in the same
 * write. Only the fields in `changes` change. A nested record or list is replaced as a whole: connections that can no
 * longer be reached from the main concept are also removed. A field that already has the new text and access is left
 * unchanged. Throws `notFound` when the composition is not loaded.
 *
 * A new value has the access of the value that it replaces. If it replaces a nested record, it has the most restricted
 * access inside that record. A new field has the access of the record. The access in the draft is not used.
 *
 * Costs one pass over the fields of the record for each changed field. If a nested record is replaced, the whole
 * composition is also walked twice.
 */
export function patch(
  graph: Reader,
  { main, of = main, access, removed = [] }: Target,
  changes: FieldsInput,
  draft: Draft,
): Id[] {
  const [head, record] = [graph.concept(main), graph.concept(of)]
  if (!head?.composition || !record) throw new WeftError('notFound', `record ${main} is not loaded`)
  if (access !== undefined && ![3, 4, 5].includes(access))
    throw new WeftError('invalid', `an access is 3, 4 or 5, not ${access}`)
  const recordAccess = Math.min(conceptAccess(head, draft), conceptAccess(record, draft))
  const replaced: Id[] = []
  let onlyTexts = true
  const added = new Map<Access, Record<string, FieldInput>>()
  const links = graph.out(of, main)
  for (const key of [...removed, ...Object.keys(changes)]) {
    const value = changes[key] as FieldInput
    const isRemoved = removed.includes(key)
    const name = withoutPrefix(key)
    const old = links.filter(({ to }) => {
      const end = graph.concept(to)
      return end && fieldNameOf(graph, end.type) === name
    })
    const oldAccess = accessOfLinks(graph, main, old, draft)
    const end = old.length === 1 && graph.concept((old[0] as Connection).to)
    if (!isRemoved && end && hasText(end, value) && (access ?? oldAccess) === oldAccess) continue
    for (const { id, to } of old) {
      replaced.push(id)
      onlyTexts &&= graph.concept(to)?.value !== ''
    }
    if (isRemoved) continue
    const newAccess = access ?? (Math.min(recordAccess, oldAccess) as Access)
    const fields = added.get(newAccess) ?? {}
    setOwn(fields, key, value)
    added.set(newAccess, fields)
  }
  for (const [access, fields] of added) buildFields({ ...draft, access }, main, fields, of)
  // A single value has no connections of its own, so removing it cuts off nothing else.
  if (onlyTexts) return replaced.toSorted(byAge)
  const reached = new Set(collectInside(graph, main, { cut: new Set(replaced) }))
  return collectInside(graph, main).flatMap((link) => (reached.has(link) ? [] : link.id))
}

/** Returns the most restricted access among connections inside a composition and everything they lead to. */
export function accessOfLinks(
  graph: Reader,
  main: Id,
  links: readonly Connection[],
  draft: Draft,
): Access {
  let access: Access = 5
  const restrict = (link: Connection) => {
    const end = graph.concept(link.to)
    const endAccess = end ? conceptAccess(end, draft) : 5
    access = Math.min(access, effectiveAccess(link, link.id), endAccess) as Access
  }
  for (const link of links) {
    restrict(link)
    for (const inner of collectInside(graph, main, { from: link.to })) restrict(inner)
  }
  return access
}

const conceptAccess = (c: Concept, draft: Draft): Access => effectiveAccess(c, draft.real(c.id))

/**
 * Returns the access that the server grants: records whose owner is "all users" are public. A local record keeps its own access,
 * because it may still become the record of a user who signs in.
 */
const effectiveAccess = ({ owner, access }: Concept | Connection, id: Id): Access =>
  owner === anonymous && isReal(id) ? 5 : access

const hasText = (concept: Concept, value: unknown): boolean => {
  const isScalar = value === null || typeof value !== 'object'
  return isScalar && !concept.composition && concept.value === String(value)
}
