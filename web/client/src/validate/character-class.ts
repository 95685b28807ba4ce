/** Reports whether a code point belongs to a class. -1 means the start or end of the text. */
export type CharacterTest = (c: number) => boolean

/** Parses a literal, an escape or a bracketed class. Throws a SyntaxError if it is malformed. `fold` ignores case. */
export function parseClass(text: string, fold: boolean): CharacterTest {
  const brackets = /^\[(\^?)([\s\S]+)\]$/.exec(text)
  const matches = brackets ? parseMembers(brackets[2] ?? '') : parseSingle(text)
  const folded: CharacterTest = fold ? (c) => c >= 0 && caseVariants(c).some(matches) : matches
  return brackets?.[1] ? negate(folded) : folded
}

/** Lists the case variants of a character, including rare third variants, such as the Kelvin sign for k. */
function caseVariants(c: number): number[] {
  const letter = String.fromCodePoint(c)
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()]
  const all = [letter, lower, upper, lower.toUpperCase(), upper.toLowerCase()]
  return all.map((one) => one.codePointAt(0) ?? c)
}

function parseMembers(text: string): CharacterTest {
  const parts = text.match(memberSyntax) ?? []
  const tests: CharacterTest[] = []
  for (let i = 0; i < parts.length; i++) {
    const [part = '', dash, end] = parts.slice(i, i + 3)
    if (dash === '-' && end !== undefined) {
      tests.push(matchRange(parseCharacter(part), parseCharacter(end)))
      i += 2
    } else tests.push(parseSingle(part))
  }
  return (c) => tests.some((test) => test(c))
}

/** The syntax of an escaped character or a named class. */
export const characterSyntax = String.raw`\\[pP](?:\{\^?\w+\}|\w)|\\x\{[\da-fA-F]+\}|\\x[\da-fA-F]{2}|\\0[0-7]{0,2}|\\[1-7][0-7]{1,2}|\\[\s\S]`

const memberSyntax = RegExp(String.raw`\[:\^?\w+:\]|${characterSyntax}|[\s\S]`, 'gu')

function parseSingle(text: string): CharacterTest {
  const set = text.startsWith('\\') ? namedSets.get(text.toLowerCase()) : undefined
  const property = /^\\([pP])\{?(\^?)(\w+)\}?$/.exec(text)
  if (set) return text === text.toLowerCase() ? set : negate(set)
  if (text.startsWith('[:')) return parsePosixClass(text)
  if (property) {
    const [, letter, caret, name = ''] = property
    const has = unicodeProperty(name)
    return (letter === 'P') === (caret === '^') ? has : negate(has)
  }
  const code = parseCharacter(text)
  return (c) => c === code
}

const negate =
  (matches: CharacterTest): CharacterTest =>
  (c) =>
    c >= 0 && !matches(c)

function matchRange(from: number, to: number): CharacterTest {
  if (from > to) throw new SyntaxError(`${String.fromCodePoint(from, 45, to)} is reversed`)
  return (c) => from <= c && c <= to
}

/** Creates a class of ASCII characters. */
const matchAscii =
  (pattern: RegExp): CharacterTest =>
  (c) =>
    c >= 0 && c < 128 && pattern.test(String.fromCharCode(c))

const namedSets = new Map([
  ['\\d', matchAscii(/\d/)],
  ['\\w', matchAscii(/\w/)],
  ['\\s', matchAscii(/[\t\n\f\r ]/)],
  ['alnum', matchAscii(/[\da-z]/i)],
  ['alpha', matchAscii(/[a-z]/i)],
  ['ascii', matchAscii(/[\s\S]/)],
  ['blank', matchAscii(/[\t ]/)],
  ['cntrl', matchAscii(/[^ -~]/)],
  ['digit', matchAscii(/\d/)],
  ['graph', matchAscii(/[!-~]/)],
  ['lower', matchAscii(/[a-z]/)],
  ['print', matchAscii(/[ -~]/)],
  ['punct', matchAscii(/[!-/:-@[-`{-~]/)],
  ['space', matchAscii(/[\t-\r ]/)],
  ['upper', matchAscii(/[A-Z]/)],
  ['word', matchAscii(/\w/)],
  ['xdigit', matchAscii(/[\da-f]/i)],
])

function parsePosixClass(text: string): CharacterTest {
  const [, caret, name = ''] = /^\[:(\^?)(\w+):\]$/.exec(text) ?? []
  const set = namedSets.get(name)
  if (set === undefined) throw new SyntaxError(`${text} is not a class`)
  return caret ? negate(set) : set
}

/** Creates the class of a Unicode category or script. */
function unicodeProperty(name: string): CharacterTest {
  const source = name.length < 3 ? name : `Script=${name}`
  const pattern = new RegExp(`^\\p{${source}}$`, 'u')
  return (c) => c >= 0 && pattern.test(String.fromCodePoint(c))
}

/** Parses a literal or an escaped character to its code point. */
function parseCharacter(text: string): number {
  if (!text.startsWith('\\')) return text.codePointAt(0) ?? 0
  const [, hex, octal] = /^\\(?:x\{?([\da-fA-F]+)\}?|(0[0-7]{0,2}|[1-7][0-7]+))$/.exec(text) ?? []
  if (hex) return Number.parseInt(hex, 16)
  if (octal) return Number.parseInt(octal, 8)
  const code = controlEscapes.get(text) ?? text.codePointAt(1) ?? 0
  if (!controlEscapes.has(text) && (code >= 128 || /[\da-z]/i.test(text)))
    throw new SyntaxError(`${text} is not an escape`)
  return code
}

const controlEscapes = new Map([
  ['\\a', 7],
  ['\\t', 9],
  ['\\n', 10],
  ['\\v', 11],
  ['\\f', 12],
  ['\\r', 13],
])
