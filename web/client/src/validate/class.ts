/** Says whether a character is one of those meant, by its code point. */
export type Takes = (c: number) => boolean

/** The characters that a literal, an escape or a class in brackets means. Throws for what is none. */
export function classOf(text: string, fold: boolean): Takes {
  const brackets = /^\[(\^?)([\s\S]+)\]$/.exec(text)
  const takes = brackets ? members(brackets[2] ?? '') : single(text)
  const folded: Takes = fold ? (c) => c >= 0 && cases(c).some(takes) : takes
  return brackets?.[1] ? not(folded) : folded
}

/** A letter in either case, and in the few third ways to write it. */
function cases(c: number): number[] {
  const letter = String.fromCodePoint(c)
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()]
  const all = [letter, lower, upper, lower.toUpperCase(), upper.toLowerCase()]
  return all.map((one) => one.codePointAt(0) ?? c)
}

function members(text: string): Takes {
  const parts = text.match(element) ?? []
  const tests: Takes[] = []
  for (let i = 0; i < parts.length; i++) {
    const [part = '', dash, end] = parts.slice(i, i + 3)
    if (dash === '-' && end !== undefined) {
      tests.push(between(codeOf(part), codeOf(end)))
      i += 2
    } else tests.push(single(part))
  }
  return (c) => tests.some((test) => test(c))
}

/** One character, however it is written, or a set of them with a name. */
export const character = String.raw`\\[pP](?:\{\^?\w+\}|\w)|\\x\{[\da-fA-F]+\}|\\x[\da-fA-F]{2}|\\0[0-7]{0,2}|\\[1-7][0-7]{1,2}|\\[\s\S]`

const element = RegExp(String.raw`\[:\^?\w+:\]|${character}|[\s\S]`, 'gu')

function single(text: string): Takes {
  const set = text.startsWith('\\') ? sets.get(text.toLowerCase()) : undefined
  const property = /^\\([pP])\{?(\^?)(\w+)\}?$/.exec(text)
  if (set) return text === text.toLowerCase() ? set : not(set)
  if (text.startsWith('[:')) return posix(text)
  if (property) {
    const [, letter, caret, name = ''] = property
    const has = propertyOf(name)
    return (letter === 'P') === (caret === '^') ? has : not(has)
  }
  const code = codeOf(text)
  return (c) => c === code
}

const not =
  (takes: Takes): Takes =>
  (c) =>
    c >= 0 && !takes(c)

function between(from: number, to: number): Takes {
  if (from > to) throw new SyntaxError('a range goes backwards')
  return (c) => from <= c && c <= to
}

/** A set of ASCII characters. */
const ascii =
  (pattern: RegExp): Takes =>
  (c) =>
    c >= 0 && c < 128 && pattern.test(String.fromCharCode(c))

const sets = new Map([
  ['\\d', ascii(/\d/)],
  ['\\w', ascii(/\w/)],
  ['\\s', ascii(/[\t\n\f\r ]/)],
  ['alnum', ascii(/[\da-z]/i)],
  ['alpha', ascii(/[a-z]/i)],
  ['ascii', ascii(/[\s\S]/)],
  ['blank', ascii(/[\t ]/)],
  ['cntrl', ascii(/[^ -~]/)],
  ['digit', ascii(/\d/)],
  ['graph', ascii(/[!-~]/)],
  ['lower', ascii(/[a-z]/)],
  ['print', ascii(/[ -~]/)],
  ['punct', ascii(/[!-/:-@[-`{-~]/)],
  ['space', ascii(/[\t-\r ]/)],
  ['upper', ascii(/[A-Z]/)],
  ['word', ascii(/\w/)],
  ['xdigit', ascii(/[\da-f]/i)],
])

function posix(text: string): Takes {
  const [, caret, name = ''] = /^\[:(\^?)(\w+):\]$/.exec(text) ?? []
  const set = sets.get(name)
  if (set === undefined) throw new SyntaxError(`${text} is no class`)
  return caret ? not(set) : set
}

/** A category or a script of Unicode. */
function propertyOf(name: string): Takes {
  const source = name.length < 3 ? name : `Script=${name}`
  const pattern = new RegExp(`^\\p{${source}}$`, 'u')
  return (c) => c >= 0 && pattern.test(String.fromCodePoint(c))
}

/** The one character that a text means. */
function codeOf(text: string): number {
  if (!text.startsWith('\\')) return text.codePointAt(0) ?? 0
  const [, hex, octal] = /^\\(?:x\{?([\da-fA-F]+)\}?|(0[0-7]{0,2}|[1-7][0-7]+))$/.exec(text) ?? []
  if (hex) return Number.parseInt(hex, 16)
  if (octal) return Number.parseInt(octal, 8)
  const code = controls.get(text) ?? text.codePointAt(1) ?? 0
  if (!controls.has(text) && (code >= 128 || /[\da-z]/i.test(text)))
    throw new SyntaxError(`${text} means nothing`)
  return code
}

const controls = new Map([
  ['\\a', 7],
  ['\\t', 9],
  ['\\n', 10],
  ['\\v', 11],
  ['\\f', 12],
  ['\\r', 13],
])
