import type { Concept } from '../graph/concept.ts'
import { type ErrorKind, WeftError } from '../graph/error.ts'
import { categoryInstance } from '../graph/fixed.ts'
import type { Id } from '../graph/id.ts'
import { time } from './fold.ts'
import { byField, byValue, type Field, type Predicate } from './predicate.ts'
import type { Filter } from './query.ts'
import type { Source } from './source.ts'

const fields: Record<string, Field> = {
  id: 'id',
  entry_timestamp: 'created',
  user_id: 'owner',
  type_concept: 'type',
}

const ops: readonly string[] = ['=', '!=', 'like', '>', '>=', '<', '<=', 'exists']

/** In bytes, as on the server. */
const maxSearch = 2 ** 16

/** Throws `tooLarge` for a filter that searches for more than any may. */
export function check(f: Filter): void {
  const { length } = new TextEncoder().encode(f.search)
  if (length > maxSearch) refuse(f, `searches for ${length} bytes`, 'tooLarge')
}

/** Says whether the filter looks at a special field, whatever the type. */
export const isSpecial = (f: Filter): boolean => Object.hasOwn(fields, f.type ?? '')

/** The name of the type that a concept must have; undefined for any. */
export const namedType = (f: Filter): string | undefined =>
  f.type && !isSpecial(f) ? f.type : undefined

/** The one concept that the filter can be true of, if it names one. */
export function onlyId(f: Filter): Id | undefined {
  return f.type === 'id' && (f.op ?? '=') === '=' ? parseId(f.search) : undefined
}

/**
 * What the filter says of a concept. Throws `invalid` for a comparison that is none and an operand that cannot
 * be read.
 */
export function test(graph: Source, f: Filter): Predicate {
  const holds = comparison(graph, f)
  const name = namedType(f)
  if (name === undefined) return holds
  const type = graph.type(name)
  return (c: Concept) => c.type === type && c.category === categoryInstance && holds(c)
}

/** The comparison alone, whatever the type. */
export function comparison(graph: Source, f: Filter): Predicate {
  const op = f.op || '='
  if (!ops.includes(op)) refuse(f, `compares by "${op}"; there are ${ops.join(' ')}`)
  if (op === 'exists') return () => true
  const field = isSpecial(f) ? fields[f.type ?? ''] : undefined
  if (!field) return byValue(op, f.search ?? '')
  if (op === 'like' || (field === 'type' && op !== '=' && op !== '!='))
    refuse(f, `${f.type} is not compared by "${op}"`)
  return byField(field, op, operand(graph, f, field), (id) => graph.real(id))
}

/** The number that a special field is compared with. The name of a type nobody made is 0, the id of nothing. */
function operand(graph: Source, f: Filter, field: Field): number {
  const search = f.search ?? ''
  const id = parseId(search)
  if (id !== undefined) return graph.real(id)
  if (field === 'type' && search) return graph.real(graph.type(search) ?? 0)
  if (field !== 'created') return refuse(f, `${f.type}: "${search}" is not an id`)
  return time(search)?.getTime() ?? refuse(f, `"${search}" is neither a time nor milliseconds`)
}

function parseId(text = ''): Id | undefined {
  const id = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(id) ? id : undefined
}

function refuse(f: Filter, reason: string, kind: ErrorKind = 'invalid'): never {
  throw new WeftError(kind, `filter "${f.name}" ${reason}`)
}
