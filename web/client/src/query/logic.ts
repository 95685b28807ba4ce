import { WeftError } from '../graph/error.ts'

/** A boolean expression over filters. Chains of one operator are flat. */
export type Logic =
  | { readonly op: 'leaf'; readonly filter: string }
  | { readonly op: 'not'; readonly of: readonly [Logic] }
  | { readonly op: 'and' | 'or' | 'exand'; readonly of: readonly Logic[] }

type Chain = 'and' | 'or' | 'exand'

const words: Record<string, Logic['op']> = { OR: 'or', AND: 'and', NOT: 'not', EXAND: 'exand' }

/** How many parentheses and NOTs may stand in each other. */
const maxDepth = 100

/**
 * Reads an expression; a text of spaces says nothing. From tight to loose: EXAND, NOT, AND, OR. What stands
 * between spaces and parentheses is the name of a filter, unless it is one of the four words in upper case. A
 * NOT to the right of an EXAND reaches as far as any other. Throws `invalid`, with the place in the text, and
 * `tooLarge`.
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
    return joined(op, sides)
  }
  const or = (): Logic => chain('or', and)
  const and = (): Logic => chain('and', not)
  const not = (): Logic =>
    words[token()] === 'not' ? { op: 'not', of: [deeper(not)] } : chain('exand', operand)
  const operand = (): Logic => {
    const seen = token()
    if (seen === '(') return closed(deeper(or))
    if (words[seen] === 'not') return not()
    if (seen === '' || seen === ')' || words[seen]) wants('the name of a filter, NOT or "("')
    next++
    return { op: 'leaf', filter: seen }
  }
  const closed = (inside: Logic): Logic => {
    if (token() !== ')') wants('AND, OR, EXAND or ")"')
    next++
    return inside
  }
  const deeper = (read: () => Logic): Logic => {
    if (++depth > maxDepth)
      throw new WeftError('tooLarge', `more than ${maxDepth} parentheses and NOTs in each other`)
    next++
    const inside = read()
    depth--
    return inside
  }
  const wants = (what: string): never => {
    const at = tokens[next]?.index ?? text.length
    const seen = token() ? `"${token()}"` : 'the end'
    const place = Array.from(text.slice(0, at)).length + 1
    throw new WeftError('invalid', `the logic at character ${place}: ${seen} where ${what} belongs`)
  }

  if (tokens.length === 0) return undefined
  const logic = or()
  if (next < tokens.length) wants('AND, OR, EXAND or the end')
  return logic
}

/** AND in AND is one chain, as is OR in OR; EXAND is not, because each has a concept of its own. */
function joined(op: Chain, sides: readonly Logic[]): Logic {
  const [only] = sides
  if (sides.length === 1 && only) return only
  return { op, of: sides.flatMap((side) => (side.op === op && op !== 'exand' ? side.of : side)) }
}

/** The expression without the names that are not known; undefined if nothing remains. */
export function only(logic: Logic, known: (filter: string) => boolean): Logic | undefined {
  if (logic.op === 'leaf') return known(logic.filter) ? logic : undefined
  const sides = logic.of.flatMap((side) => only(side, known) ?? [])
  const [first] = sides
  if (!first) return undefined
  return logic.op === 'not' ? { op: 'not', of: [first] } : joined(logic.op, sides)
}
