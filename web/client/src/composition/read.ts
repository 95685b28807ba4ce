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
  put(data, type.value, new Reading(graph, concept.id, shape === 'withIds').value(concept))
  if (shape === 'withId') return { data, id } as unknown as Fields
  if (shape === 'listed') return { created_at: concept.created, data, id } as unknown as Fields
  return data
}

/** What stands under the type in `read`: `{text: 'hi'}`. */
export function readFields(graph: Reader, id: Id): FieldValue | undefined {
  const concept = graph.concept(id)
  return concept && new Reading(graph, concept.id, false).value(concept)
}

/** Says whether a key is the place of an item in a list. A record of nothing but these is a list. */
export const isIndex = (key: string): boolean => {
  const first = key.charCodeAt(0)
  return first >= 48 && first <= 57 && /^(0|[1-9]\d{0,8})$/.test(key)
}

/** The name of a type as a key of a record, kept because cutting it for every leaf costs most of a read. */
export function keyOf(graph: Reader, type: Id): string | undefined {
  let keys = known.get(graph)
  if (!keys) {
    keys = new Map()
    known.set(graph, keys)
  }
  let key = keys.get(type)
  if (key !== undefined) return key
  const concept = graph.concept(type)
  if (!concept) return undefined
  key = withoutPrefix(concept.value)
  keys.set(type, key)
  return key
}
const known = new WeakMap<Reader, Map<Id, string>>()

class Reading {
  readonly graph: Reader
  readonly main: Id
  readonly withIds: boolean
  readonly path: Id[] = []
  left = maxValues

  constructor(graph: Reader, main: Id, withIds: boolean) {
    this.graph = graph
    this.main = main
    this.withIds = withIds
  }

  value(concept: Concept): FieldValue {
    const { id } = concept
    if (--this.left < 0) throw this.tooLarge(`is made of more than ${maxValues} values`)
    if (concept.value !== '') return concept.value
    const links = this.graph.out(id, this.main)
    if (links.length === 0 && !concept.composition) return ''
    if (this.path.length >= maxDepth)
      throw this.tooLarge(`is nested deeper than ${maxDepth} levels`)
    this.path.push(id)
    const record: Record<string, FieldValue> = {}
    let items = 0
    let names = 0
    for (const link of links) {
      // A connection back to a record around this one would never end, so it is left out.
      if (this.path.includes(link.to)) continue
      const child = this.graph.concept(link.to)
      const key = child && keyOf(this.graph, child.type)
      if (key === undefined) continue
      if (isIndex(key)) items++
      else names++
      put(record, key, this.value(child as Concept))
    }
    this.path.pop()
    // Engines keep such keys in the order of their numbers.
    if (items > 0 && names === 0) return Object.values(record)
    return this.withIds
      ? (Object.assign({ id }, record as object, { id } as object) as Fields)
      : record
  }

  tooLarge(reason: string): WeftError {
    return new WeftError('tooLarge', `composition ${this.main} ${reason}`)
  }
}
