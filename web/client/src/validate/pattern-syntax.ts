import { type CharacterTest, characterSyntax, parseClass } from './character-class.ts'

/** The syntax tree of a pattern. */
export type PatternNode =
  | { readonly kind: 'character'; readonly matches: CharacterTest }
  /** Reports whether the assertion holds between two characters. -1 means the start or end of the text. */
  | { readonly kind: 'assertion'; readonly holds: (before: number, after: number) => boolean }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly PatternNode[] }
  | {
      readonly kind: 'repeat'
      readonly of: PatternNode
      readonly min: number
      readonly max: number
    }

interface Flags {
  /** Ignores case. */
  readonly i: boolean
  /** `^` and `$` also match at line breaks. */
  readonly m: boolean
  /** `.` also matches line breaks. */
  readonly s: boolean
}

/** Maximum number of counted repetitions. Those of nested groups are multiplied. */
const maxRepetitions = 1000

/**
 * Parses the syntax of Go's package regexp. It has no look-around and no backreferences, which cannot be matched in
 * linear time. Throws a SyntaxError for any other syntax.
 */
export function parsePattern(pattern: string): PatternNode {
  const text = pattern.replace(/\\(?:Q([\s\S]*?)(?:\\E|$)|[\s\S])/g, (all, quoted?: string) =>
    quoted === undefined ? all : quoted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  )
  let position = 0
  const next = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = position
    const found = token.exec(text)
    position += found?.[0].length ?? 0
    return found
  }

  function choice(flags: Flags): PatternNode {
    const parts: PatternNode[] = []
    let sequence: PatternNode[] = []
    for (;;) {
      const set = next(/\(\?([imsU]*)(?:-([imsU]+))?\)/y)
      if (set) flags = changeFlags(flags, set)
      else if (next(/\|/y)) {
        parts.push({ kind: 'sequence', parts: sequence })
        sequence = []
      } else if (position === text.length || text[position] === ')')
        return { kind: 'choice', parts: [...parts, { kind: 'sequence', parts: sequence }] }
      else sequence.push(repeated(flags))
    }
  }

  function repeated(flags: Flags): PatternNode {
    const of = atom(flags)
    const count = next(/(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y)
    if (!count) return of
    if (next(/[*+?]|\{\d+(,\d*)?\}/y)) throw new SyntaxError('a repetition is repeated')
    const [, sign, low = '', comma, high] = count
    const min = sign ? Number(sign === '+') : Number(low)
    const max = sign ? (sign === '?' ? 1 : Infinity) : comma ? Number(high || Infinity) : min
    const node: PatternNode = { kind: 'repeat', of, min, max }
    if (min > max || countRepetitions(node) > maxRepetitions)
      throw new SyntaxError(`invalid repetition ${count[0]}`)
    return node
  }

  function atom(flags: Flags): PatternNode {
    const group = next(/\((?:\?([imsU]*)(?:-([imsU]+))?:|\?P?<\w+>|(?!\?))/y)
    if (group) {
      const inside = choice(changeFlags(flags, group))
      if (!next(/\)/y)) throw new SyntaxError('a parenthesis is not closed')
      return inside
    }
    const assertion = next(/[$^]|\\[AzbB]/y)
    if (assertion) return { kind: 'assertion', holds: assertionTest(assertion[0], flags) }
    if (next(/\./y)) return { kind: 'character', matches: (c) => flags.s || c !== 10 }
    const single = next(singleSyntax)
    if (!single) throw new SyntaxError(`${text.slice(position, position + 10)} is not a pattern`)
    return { kind: 'character', matches: parseClass(single[0], flags.i) }
  }

  const node = choice({ i: false, m: false, s: false })
  if (position < text.length) throw new SyntaxError('a closing parenthesis has no opening one')
  return node
}

/** A bracketed class or a single character. */
const singleSyntax = RegExp(
  String.raw`\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|${characterSyntax}|[^*+?()[\\]`,
  'uy',
)

const changeFlags = (flags: Flags, [, on = '', off = '']: RegExpExecArray): Flags => {
  const is = (flag: keyof Flags) => (flags[flag] || on.includes(flag)) && !off.includes(flag)
  return { i: is('i'), m: is('m'), s: is('s') }
}

function assertionTest(
  assertion: string,
  { m }: Flags,
): (before: number, after: number) => boolean {
  switch (assertion) {
    case '^':
      return (before) => before < 0 || (m && before === 10)
    case '$':
      return (_, after) => after < 0 || (m && after === 10)
    case '\\A':
      return (before) => before < 0
    case '\\z':
      return (_, after) => after < 0
    default:
      return (before, after) => (isWord(before) !== isWord(after)) === (assertion === '\\b')
  }
}

const isWord = parseClass('\\w', false)

/** Multiplies the counted repetitions of nested nodes. */
function countRepetitions(node: PatternNode): number {
  if (node.kind === 'repeat') {
    const times = node.max === Infinity ? node.min : node.max
    return Math.max(1, times) * countRepetitions(node.of)
  }
  if (node.kind === 'sequence' || node.kind === 'choice')
    return Math.max(1, ...node.parts.map(countRepetitions))
  return 1
}
