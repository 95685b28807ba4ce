import type { Concept } from '../graph/concept.ts'
import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { withoutPrefix } from '../graph/type.ts'
import type { Reader } from './reader.ts'
import { type Fields, type FieldValue, maxDepth, maxValues, put } from './value.ts'

/**
 * How a composition is handed over. `plain`: `{type: {…}}`. `withId`: `{data: {type: {…}}, id}`.
 * `withIds`: like plain, with the `id` of every record first inside it. `listed`:
 * `{created_at, data: {type: {…}}, id}`.
 */
export type Shape = 'plain' | 'withId' | 'withIds' | 'listed'

/** The composition, or the single value, named id. Undefined when it or its type is not here. */
export function read(graph: Reader, id: Id, shape: Shape = 'plain'): Fields | undefined {
  const concept = graph.concept(id)
  const type = concept && graph.concept(concept.type)
  if (!type) return undefined
  const data = {}
  put(data, type.value, under(graph, concept, shape === 'withIds' ? identified : undefined))
  if (shape === 'withId') return { data, id } as unknown as Fields
  if (shape === 'listed') return { created_at: concept.created, data, id } as unknown as Fields
  return data
}

/** What stands under the type in `read`: `{text: 'hi'}`. */
export function readFields(graph: Reader, id: Id): FieldValue | undefined {
  const concept = graph.concept(id)
  return concept && under(graph, concept)
}

/** Says whether a key is the place of an item in a list. A record of nothing but these is a list. */
export const isIndex = (key: string): boolean => /^(0|[1-9]\d{0,8})$/.test(key)

/** The name of a type as a key of a record. */
export const keyOf = (graph: Reader, type: Id): string | undefined => keyAt(graph, type)?.name

/** Cutting and looking at a key for every leaf costs most of a read, so what was learnt of one is kept. */
interface Key {
  readonly name: string
  readonly index: boolean
}
const keys = new Map<string, Key>()

function keyAt(graph: Reader, type: Id): Key | undefined {
  const text = graph.concept(type)?.value
  if (text === undefined) return undefined
  let key = keys.get(text)
  if (key === undefined) {
    const name = withoutPrefix(text)
    key = { name, index: isIndex(name) }
    keys.set(text, key)
  }
  return key
}

type Finish = (id: Id, fields: Fields) => Fields

const identified: Finish = (id, fields) => Object.assign({ id }, fields, { id }) as object as Fields

/** One composition being read. */
interface Reading {
  readonly graph: Reader
  readonly main: Id
  /** What becomes of each record. */
  readonly finish: Finish | undefined
  /** The records around the one being read. */
  readonly path: Id[]
  left: number
}

function under(graph: Reader, top: Concept, finish?: Finish): FieldValue {
  const reading = { graph, main: top.id, finish, path: [], left: maxValues }
  return top.value === '' ? record(reading, top) : top.value
}

function record(r: Reading, concept: Concept): FieldValue {
  const { graph, path } = r
  const { id } = concept
  const links = graph.out(id, r.main)
  if (links.length === 0 && !concept.composition) return ''
  if (path.length >= maxDepth) tooLarge(r, `is nested deeper than ${maxDepth} levels`)
  path.push(id)
  const fields: Record<string, FieldValue> = {}
  let items = 0
  let names = 0
  for (const link of links) {
    const child = graph.concept(link.to)
    const key = child && keyAt(graph, child.type)
    // A connection back to a record around this one would never end, so it is left out.
    if (key === undefined || (child?.value === '' && path.includes(link.to))) continue
    if (--r.left < 0) tooLarge(r, `is made of more than ${maxValues} values`)
    if (key.index) items++
    else names++
    put(fields, key.name, child?.value || record(r, child as Concept))
  }
  path.pop()
  // Engines keep such keys in the order of their numbers.
  if (items > 0 && names === 0) return Object.values(fields)
  return r.finish?.(id, fields as Fields) ?? fields
}

function tooLarge(r: Reading, reason: string): never {
  throw new WeftError('tooLarge', `composition ${r.main} ${reason}`)
}
