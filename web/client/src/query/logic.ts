import { WeftError } from '../model/error.ts'

/** A boolean expression over filters. Chains of one operator are flat, except those of EXAND. */
export type Logic =
  | { readonly op: 'leaf'; readonly filter: string }
  | { readonly op: 'not'; readonly of: readonly [Logic] }
  | { readonly op: 'and' | 'or' | 'exand'; readonly of: readonly Logic[] }

type Chain = 'and' | 'or' | 'exand'

const words: Record<string, Logic['op']> = { OR: 'or', AND: 'and', NOT: 'not', EXAND: 'exand' }

/** Maximum nesting depth of parentheses and NOTs. */
const maxDepth = 100

/**
 * Parses an expression. Returns undefined for blank text. Grammar:
 *
 *   or      = and { "OR" and }
 *   and     = not { "AND" not }
 *   not     = "NOT" not | exand
 *   exand   = operand { "EXAND" operand }
 *   operand = "(" or ")" | "NOT" not | name
 *
 * A name is a sequence of characters other than white space and parentheses, except the four operators in upper case.
 * Throws `invalid`, with the position in the text, and `tooLarge` above 100 levels.
 */
export function parseLogic(text: string): Logic | undefined {
  const tokens = [...text.matchAll(/[()]|[^ \t\r\n()]+/g)]
  let next = 0
  let depth = 0
  const token = () => tokens[next]?.[0] ?? ''

  const chain = (op: Chain, side: () => Logic): Logic => {
    const sides = [side()]
    while (words[token()] === op) {
      next++
      sides.push(side())
    }
    return chainOf(op, sides)
  }
  const or = (): Logic => chain('or', and)
  const and = (): Logic => chain('and', not)
  const not = (): Logic =>
    words[token()] === 'not' ? { op: 'not', of: [nested(not)] } : chain('exand', operand)
  const operand = (): Logic => {
    const seen = token()
    if (seen === '(') return parenthesized(nested(or))
    if (words[seen] === 'not') return not()
    if (seen === '' || seen === ')' || words[seen])
      throwUnexpected('the name of a filter, NOT or "("')
    next++
    return { op: 'leaf', filter: seen }
  }
  const parenthesized = (inside: Logic): Logic => {
    if (token() !== ')') throwUnexpected('AND, OR, EXAND or ")"')
    next++
    return inside
  }
  const nested = (read: () => Logic): Logic => {
    if (++depth > maxDepth)
      throw new WeftError(
        'tooLarge',
        `parentheses and NOTs are nested deeper than ${maxDepth} levels`,
      )
    next++
    const inside = read()
    depth--
    return inside
  }
  const throwUnexpected = (expected: string): never => {
    const index = tokens[next]?.index ?? text.length
    const seen = token() ? `"${token()}"` : 'the end'
    const position = Array.from(text.slice(0, index)).length + 1
    throw new WeftError(
      'invalid',
      `the logic at character ${position}: ${seen} where ${expected} belongs`,
    )
  }

  if (tokens.length === 0) return undefined
  const logic = or()
  if (next < tokens.length) throwUnexpected('AND, OR, EXAND or the end')
  return logic
}

/**
 * Joins operands into a flat chain. EXANDs are not flattened, because each EXAND may hold under a different concept.
 */
function chainOf(op: Chain, sides: readonly Logic[]): Logic {
  const [only] = sides
  if (sides.length === 1 && only) return only
  return { op, of: sides.flatMap((side) => (side.op === op && op !== 'exand' ? side.of : side)) }
}

/** Removes unknown names from an expression. Returns undefined if nothing remains. */
export function keepKnown(logic: Logic, known: (filter: string) => boolean): Logic | undefined {
  if (logic.op === 'leaf') return known(logic.filter) ? logic : undefined
  const sides = logic.of.flatMap((side) => keepKnown(side, known) ?? [])
  const [first] = sides
  if (!first) return undefined
  return logic.op === 'not' ? { op: 'not', of: [first] } : chainOf(logic.op, sides)
}
