import type { Concept } from '../graph/concept.ts'
import type { Id } from '../graph/id.ts'
import { compare, fold, keyOf, number } from './fold.ts'
import type { Op } from './query.ts'

/** What a predicate looks at besides the value; `created` in milliseconds since 1970. */
export type Field = 'id' | 'type' | 'owner' | 'created'

/** True or false of a concept. */
export type Predicate = (c: Concept) => boolean

/** Says whether a comparison holds, by its order. */
const holds: Record<Exclude<Op, 'like'>, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
}

/**
 * Compares values by their keys: only with their own kind, so that of two different kinds nothing is true but
 * `!=`. For `like` the text is a pattern: what stands between its percent signs must occur in the value, one
 * after the other and without overlap, letters of either case; a pattern of nothing else holds always.
 */
export function byValue(op: Op, text: string): Predicate {
  if (op === 'like') {
    const pieces = fold(text).split('%')
    return (c) => like(fold(c.value), pieces)
  }
  const key = keyOf(text)
  const fits = holds[op]
  if (typeof key === 'number')
    return ({ value }) => {
      const n = number(value)
      return n === undefined ? op === '!=' : fits(n - key)
    }
  // Letters of either case are as long as each other.
  if (op === '=' && typeof key === 'string')
    return ({ value }) => value.length === key.length && keyOf(value) === key
  return (c) => {
    const order = compare(keyOf(c.value), key)
    return order === undefined ? op === '!=' : fits(order)
  }
}

/** Compares a special field with a number. Real says which id the server knows. */
export function byField(field: Field, op: Op, to: number, real: (id: Id) => Id): Predicate {
  const fits = holds[op as keyof typeof holds]
  return (c) => fits(fieldOf(c, field, real) - to)
}

function fieldOf(c: Concept, field: Field, real: (id: Id) => Id): number {
  if (field === 'created') return Date.parse(c.created)
  return real(field === 'id' ? c.id : field === 'type' ? c.type : c.owner)
}

function like(folded: string, pieces: readonly string[]): boolean {
  let from = 0
  for (const piece of pieces) {
    const at = folded.indexOf(piece, from)
    if (at < 0) return false
    from = at + piece.length
  }
  return true
}
