import type { Concept } from '../model/concept.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { withoutPrefix } from '../model/type.ts'
import type { Reader } from './reader.ts'
import { type Fields, type FieldValue, maxDepth, maxValues, setOwn } from './value.ts'

/**
 * The shape of a composition that was read:
 *
 * - `plain`: `{type: {…}}`
 * - `withId`: `{data: {type: {…}}, id}`
 * - `withIds`: like `plain`, with the `id` of every record as its first member
 * - `listed`: `{created_at, data: {type: {…}}, id}`
 */
export type Shape = 'plain' | 'withId' | 'withIds' | 'listed'

/** Reads a composition or a single value. Returns undefined if that concept or its type is not loaded. */
export function read(graph: Reader, id: Id, shape: Shape = 'plain'): Fields | undefined {
  const concept = graph.concept(id)
  const type = concept && graph.concept(concept.type)
  if (!type) return undefined
  const data = {}
  setOwn(data, type.value, readUnder(graph, concept, shape === 'withIds' ? addId : undefined))
  if (shape === 'withId') return { data, id } as unknown as Fields
  if (shape === 'listed') return { created_at: concept.created, data, id } as unknown as Fields
  return data
}

/** Reads a composition without its outer type: `{text: 'hi'}`. Returns undefined if it is not loaded. */
export function readFields(graph: Reader, id: Id): FieldValue | undefined {
  const concept = graph.concept(id)
  return concept && readUnder(graph, concept)
}

/** Reports whether a key is the position of an item in a list. A record with only such keys is a list. */
export const isIndex = (key: string): boolean => /^(0|[1-9]\d{0,8})$/.test(key)

/** Returns the name of a type as the key of a field. */
export const fieldNameOf = (graph: Reader, type: Id): string | undefined => keyAt(graph, type)?.name

/**
 * A key of a record. Keys are cached by type name, because computing one for each leaf would be most of the cost of a
 * read.
 */
interface Key {
  readonly name: string
  readonly isIndex: boolean
}
const keys = new Map<string, Key>()

function keyAt(graph: Reader, type: Id): Key | undefined {
  const text = graph.concept(type)?.value
  if (text === undefined) return undefined
  let key = keys.get(text)
  if (key === undefined) {
    const name = withoutPrefix(text)
    key = { name, isIndex: isIndex(name) }
    keys.set(text, key)
  }
  return key
}

/** Transforms each record after its fields were read. */
type FinishRecord = (id: Id, fields: Fields) => Fields

const addId: FinishRecord = (id, fields) =>
  Object.assign({ id }, fields, { id }) as object as Fields

/** A composition while it is being read. */
interface Reading {
  readonly graph: Reader
  readonly main: Id
  readonly finish: FinishRecord | undefined
  /** The records that contain the current one, and the current one itself. */
  readonly path: Id[]
  /** The number of values that may still be read. */
  valuesLeft: number
}

function readUnder(graph: Reader, top: Concept, finish?: FinishRecord): FieldValue {
  const reading = { graph, main: top.id, finish, path: [], valuesLeft: maxValues }
  return top.value === '' ? readRecord(reading, top) : top.value
}

function readRecord(r: Reading, concept: Concept): FieldValue {
  const { graph, path } = r
  const { id } = concept
  const links = graph.out(id, r.main)
  if (links.length === 0 && !concept.composition) return ''
  if (path.length >= maxDepth) tooLarge(r, `is nested deeper than ${maxDepth} levels`)
  path.push(id)
  const fields: Record<string, FieldValue> = {}
  let hasIndexes = false
  let hasNames = false
  for (const link of links) {
    const child = graph.concept(link.to)
    const key = child && keyAt(graph, child.type)
    // A connection to a containing record is a cycle and is skipped.
    if (key === undefined || (child?.value === '' && path.includes(link.to))) continue
    if (--r.valuesLeft < 0) tooLarge(r, `has more than ${maxValues} values`)
    if (key.isIndex) hasIndexes = true
    else hasNames = true
    setOwn(fields, key.name, child?.value || readRecord(r, child as Concept))
  }
  path.pop()
  // JavaScript lists integer keys in ascending order.
  if (hasIndexes && !hasNames) return Object.values(fields)
  return r.finish?.(id, fields as Fields) ?? fields
}

function tooLarge(r: Reading, reason: string): never {
  throw new WeftError('tooLarge', `composition ${r.main} ${reason}`)
}
