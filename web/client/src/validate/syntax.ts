import { character, classOf, type Takes } from './class.ts'

/** A pattern, read. */
export type Node =
  | { readonly kind: 'one'; readonly takes: Takes }
  /** Holds between two characters; -1 is where the text begins or ends. */
  | { readonly kind: 'between'; readonly holds: (before: number, after: number) => boolean }
  | { readonly kind: 'row' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly of: Node; readonly min: number; readonly max: number }

interface Flags {
  /** Letters of either case are the same. */
  readonly i: boolean
  /** `^` and `$` hold at lines. */
  readonly m: boolean
  /** `.` takes line breaks. */
  readonly s: boolean
}

/** How often something may be repeated by a number, and by numbers within numbers. */
const most = 1000

/**
 * Reads the patterns that Go's package regexp reads: without look-around and references back, which cannot be
 * searched for in a time that grows with the text alone. Throws for everything else.
 */
export function parse(pattern: string): Node {
  const text = pattern.replace(/\\(?:Q([\s\S]*?)(?:\\E|$)|[\s\S])/g, (all, quoted?: string) =>
    quoted === undefined ? all : quoted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  )
  let at = 0
  const next = (what: RegExp): RegExpExecArray | null => {
    what.lastIndex = at
    const found = what.exec(text)
    at += found?.[0].length ?? 0
    return found
  }

  function choice(flags: Flags): Node {
    const parts: Node[] = []
    let row: Node[] = []
    for (;;) {
      const set = next(/\(\?([imsU]*)(?:-([imsU]+))?\)/y)
      if (set) flags = flagged(flags, set)
      else if (next(/\|/y)) {
        parts.push({ kind: 'row', parts: row })
        row = []
      } else if (at === text.length || text[at] === ')')
        return { kind: 'choice', parts: [...parts, { kind: 'row', parts: row }] }
      else row.push(repeated(flags))
    }
  }

  function repeated(flags: Flags): Node {
    const of = atom(flags)
    const count = next(/(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y)
    if (!count) return of
    if (next(/[*+?]|\{\d+(,\d*)?\}/y)) throw new SyntaxError('a repetition is repeated')
    const [, sign, low = '', comma, high] = count
    const min = sign ? Number(sign === '+') : Number(low)
    const max = sign ? (sign === '?' ? 1 : Infinity) : comma ? Number(high || Infinity) : min
    const node: Node = { kind: 'repeat', of, min, max }
    if (min > max || numbered(node) > most) throw new SyntaxError('a repetition counts too far')
    return node
  }

  function atom(flags: Flags): Node {
    const group = next(/\((?:\?([imsU]*)(?:-([imsU]+))?:|\?P?<\w+>|(?!\?))/y)
    if (group) {
      const inside = choice(flagged(flags, group))
      if (!next(/\)/y)) throw new SyntaxError('a parenthesis is not closed')
      return inside
    }
    const place = next(/[$^]|\\[AzbB]/y)
    if (place) return { kind: 'between', holds: holding(place[0], flags) }
    if (next(/\./y)) return { kind: 'one', takes: (c) => flags.s || c !== 10 }
    const one = next(single)
    if (!one) throw new SyntaxError(`${text.slice(at, at + 10)} is no pattern`)
    return { kind: 'one', takes: classOf(one[0], flags.i) }
  }

  const node = choice({ i: false, m: false, s: false })
  if (at < text.length) throw new SyntaxError('a parenthesis closes nothing')
  return node
}

/** A class in brackets, or a character. */
const single = RegExp(
  String.raw`\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|${character}|[^*+?()[\\]`,
  'uy',
)

const flagged = (flags: Flags, [, on = '', off = '']: RegExpExecArray): Flags => {
  const is = (flag: keyof Flags) => (flags[flag] || on.includes(flag)) && !off.includes(flag)
  return { i: is('i'), m: is('m'), s: is('s') }
}

function holding(place: string, { m }: Flags): (before: number, after: number) => boolean {
  switch (place) {
    case '^':
      return (before) => before < 0 || (m && before === 10)
    case '$':
      return (_, after) => after < 0 || (m && after === 10)
    case '\\A':
      return (before) => before < 0
    case '\\z':
      return (_, after) => after < 0
    default:
      return (before, after) => (isWord(before) !== isWord(after)) === (place === '\\b')
  }
}

const isWord = classOf('\\w', false)

/** How often something is repeated by numbers within numbers. */
function numbered(node: Node): number {
  if (node.kind === 'repeat') {
    const times = node.max === Infinity ? node.min : node.max
    return Math.max(1, times) * numbered(node.of)
  }
  if (node.kind === 'row' || node.kind === 'choice') return Math.max(1, ...node.parts.map(numbered))
  return 1
}
