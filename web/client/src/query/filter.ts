import type { Concept } from '../model/concept.ts'
import { type ErrorKind, WeftError } from '../model/error.ts'
import { categoryInstance } from '../model/fixed.ts'
import type { Id } from '../model/id.ts'
import {
  comparesKeys,
  type Field,
  fieldPredicate,
  filterOps,
  type Predicate,
  valuePredicate,
} from './predicate.ts'
import type { Filter, Op } from './query.ts'
import type { Source } from './source.ts'
import { parseTime } from './values.ts'

const specialFields: Record<string, Field> = {
  id: 'id',
  entry_timestamp: 'created',
  user_id: 'owner',
  type_concept: 'type',
}

/** Maximum size of a search text, in bytes; the server has the same limit. */
const maxSearchBytes = 2 ** 16

/** Throws `tooLarge` if the search text is above the limit. */
export function checkSize(f: Filter): void {
  const { length } = new TextEncoder().encode(searchText(f))
  if (length > maxSearchBytes)
    throwInvalid(
      f,
      `the search text has ${length} bytes; the maximum is ${maxSearchBytes}`,
      'tooLarge',
    )
}

/** Returns the operand of a filter as text. Throws `invalid` for an object or a function. */
export function searchText(f: Filter): string {
  const search: unknown = f.search ?? ''
  return typeof search === 'object' || typeof search === 'function'
    ? throwInvalid(f, `the search value must be a string, number or boolean, not ${typeof search}`)
    : String(search)
}

/** Reports whether a filter compares a special field, such as `id`, which concepts of every type have. */
export const isSpecial = (f: Filter): boolean => Object.hasOwn(specialFields, f.type ?? '')

/** Returns the name of the type that a matching concept must have; undefined for any type. */
export const namedType = (f: Filter): string | undefined =>
  f.type && !isSpecial(f) ? f.type : undefined

/** Returns the only concept that can match the filter; undefined if several can. */
export function requiredId(f: Filter): Id | undefined {
  return f.type === 'id' && operatorOf(f) === '=' ? parseId(searchText(f)) : undefined
}

/** Returns the operator of a filter in lower case. */
export const operatorOf = (f: Filter): Op | 'exists' =>
  (f.op?.toLowerCase() || '=') as Op | 'exists'

/** Creates the predicate of a filter. Throws `invalid` for an unknown operator or a malformed operand. */
export function filterPredicate(graph: Source, f: Filter): Predicate {
  const holds = comparisonPredicate(graph, f)
  const name = namedType(f)
  if (name === undefined) return holds
  const type = graph.type(name)
  return (c: Concept) => c.type === type && c.category === categoryInstance && holds(c)
}

/** Creates the predicate of a filter's comparison, without the check of its type. */
export function comparisonPredicate(graph: Source, f: Filter): Predicate {
  const op = operatorOf(f)
  if (!filterOps.includes(op))
    throwInvalid(f, `unknown operator "${f.op}"; want one of ${filterOps.join(' ')}`)
  if (op === 'exists') return () => true
  const field = isSpecial(f) ? specialFields[f.type ?? ''] : undefined
  if (!field) return valuePredicate(op, searchText(f))
  if (!comparesKeys(op) || (field === 'type' && op !== '=' && op !== '!='))
    throwInvalid(f, `${f.type} cannot be compared by "${op}"`)
  return fieldPredicate(field, op, parseOperand(graph, f, field), (id) => graph.real(id))
}

/** Parses the operand of a filter on a special field as a number. The name of an unknown type becomes id 0. */
function parseOperand(graph: Source, f: Filter, field: Field): number {
  const search = searchText(f)
  const id = parseId(search)
  if (id !== undefined) return graph.real(id)
  if (field === 'type' && search) return graph.real(graph.type(search) ?? 0)
  if (field !== 'created') return throwInvalid(f, `${f.type}: "${search}" is not an id`)
  return (
    parseTime(search)?.getTime() ??
    throwInvalid(f, `"${search}" is neither a time nor milliseconds`)
  )
}

function parseId(text = ''): Id | undefined {
  const id = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(id) ? id : undefined
}

function throwInvalid(f: Filter, reason: string, kind: ErrorKind = 'invalid'): never {
  throw new WeftError(kind, `filter "${f.name}": ${reason}`)
}
