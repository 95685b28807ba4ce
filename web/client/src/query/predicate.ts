import type { Concept } from '../model/concept.ts'
import type { Id } from '../model/id.ts'
import type { Op } from './query.ts'
import { compareKeys, comparisonKey, foldCase, parseNumber } from './values.ts'

/*
 * The operators of filters. Go's twin is `graph/predicate.go`, whose comment on `Op` lists everything to change for a
 * new operator. On this side these are the type `Op` in `query.ts`, `orderTests` or `valuePredicate` in this file, and
 * cases in `spec/predicate` and `spec/query`.
 */

/** A field that a predicate compares instead of the value. `created` is compared in milliseconds since 1970. */
export type Field = 'id' | 'type' | 'owner' | 'created'

/** A condition on a concept. */
export type Predicate = (c: Concept) => boolean

/** An operator that compares the keys of two values. `like` searches the text instead. */
export type KeyOp = Exclude<Op, 'like'>

/** Reports whether a comparison holds, given the sign of the order of its operands. */
const orderTests: Record<KeyOp, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
}

export const comparesKeys = (op: string): op is KeyOp => Object.hasOwn(orderTests, op)

/** All operators of filters. */
export const filterOps: readonly string[] = [...Object.keys(orderTests), 'like', 'exists']

/**
 * Creates a predicate that compares values by their keys. For keys of different kinds only `!=` holds.
 *
 * For `like` the text is a pattern: the pieces between its percent signs must occur in the value in this order and
 * without overlap, regardless of case. A pattern that consists of percent signs matches every value.
 */
export function valuePredicate(op: Op, text: string): (c: Pick<Concept, 'value'>) => boolean {
  if (!comparesKeys(op)) {
    const pieces = foldCase(text).split('%')
    return (c) => matchesPattern(foldCase(c.value), pieces)
  }
  const key = comparisonKey(text)
  const fits = orderTests[op]
  if (typeof key === 'number')
    return ({ value }) => {
      const n = parseNumber(value)
      return n === undefined ? op === '!=' : fits(n - key)
    }
  // Folding the case keeps the length of a string, so values of another length need no folding.
  if (op === '=' && typeof key === 'string')
    return ({ value }) => value.length === key.length && comparisonKey(value) === key
  return (c) => {
    const order = compareKeys(comparisonKey(c.value), key)
    return order === undefined ? op === '!=' : fits(order)
  }
}

/** Creates a predicate that compares a special field with a number. `real` returns the real id of a local id. */
export function fieldPredicate(
  field: Field,
  op: KeyOp,
  to: number,
  real: (id: Id) => Id,
): Predicate {
  const fits = orderTests[op]
  return (c) => fits(fieldOf(c, field, real) - to)
}

function fieldOf(c: Concept, field: Field, real: (id: Id) => Id): number {
  if (field === 'created') return Date.parse(c.created)
  return real(field === 'id' ? c.id : field === 'type' ? c.type : c.owner)
}

function matchesPattern(folded: string, pieces: readonly string[]): boolean {
  let from = 0
  for (const piece of pieces) {
    const index = folded.indexOf(piece, from)
    if (index < 0) return false
    from = index + piece.length
  }
  return true
}
