/*
 * Comparison of values as numbers, times or other text. Go's package `graph` has the same rules; both run the cases in
 * `spec`.
 */

/**
 * Folds the case of `text` for comparison: each letter of Unicode 15 becomes lower case, independently of its
 * neighbours. Letters that later versions of Unicode added stay unchanged, so that all engines agree.
 */
export const foldCase = (text: string): string =>
  !printableASCII.test(text) && needsLetterFolding.test(text)
    ? Array.from(text, lowerLetter).join('')
    : text.toLowerCase()

const printableASCII = /^[ -~]*$/

/** Upper-case letters added after Unicode 15. */
const laterLetters =
  '\\u1c89\\ua7cb\\ua7cc\\ua7ce\\ua7d2\\ua7d4\\ua7da\\ua7dc\\u{10d50}-\\u{10d65}\\u{16ea0}-\\u{16eb8}'
const isLaterLetter = new RegExp(`[${laterLetters}]`, 'u')
/**
 * Matches letters that `toLowerCase` would not fold as required: those added after Unicode 15, and those whose lower
 * case depends on neighbours or has two code points.
 */
const needsLetterFolding = new RegExp(`[Σİ${laterLetters}]`, 'u')

function lowerLetter(letter: string): string {
  if (letter === 'İ') return 'i'
  return isLaterLetter.test(letter) ? letter : letter.toLowerCase()
}

/** A value in comparable form. Keys of different kinds are neither equal nor ordered. */
export type Key = number | Date | string

/**
 * Returns the key of a value.
 *
 *   number   JSON syntax without an exponent and with at most 15 digits, which a double represents exactly. 3 equals 3.00, but 007 and +49 are not numbers
 *   time     an ISO 8601 date, or date and time of day, to the millisecond; UTC unless the value names a zone
 *   text     any other value, with its case folded
 */
export function comparisonKey(value: string): Key {
  // Numbers and times start with a digit or a minus sign.
  const first = value.charCodeAt(0)
  if (first < 48 ? first !== 45 : !(first <= 57)) return foldCase(value)
  return parseNumber(value) ?? parseTime(value) ?? foldCase(value)
}

/** Compares keys. Returns a number below, equal to or above zero, or undefined for keys of different kinds. */
export function compareKeys(a: Key, b: Key): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  return a instanceof Date && b instanceof Date ? a.getTime() - b.getTime() : undefined
}

/** Compares strings by their UTF-8 bytes, as Go does. Surrogates therefore sort after all other UTF-16 units. */
function compareTexts(a: string, b: string): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
  if (x >= 0xd800 && y >= 0xd800) return codePointRank(x) - codePointRank(y)
  return x === y ? 0 : x - y || a.length - b.length
}

const codePointRank = (unit: number): number => (unit < 0xe000 ? unit + 0x10000 : unit)

/**
 * Parses a number, as `comparisonKey` defines it. Returns undefined for other text. Results are cached, because
 * parsing takes most of the time of a range filter.
 */
export function parseNumber(text: string): number | undefined {
  let n = numbers.get(text)
  if (n === undefined) {
    n = parseDecimal(text)
    if (numbers.size >= maxCachedNumbers) numbers.clear()
    numbers.set(text, n)
  }
  return Number.isNaN(n) ? undefined : n
}

const numbers = new Map<string, number>()
/** Maximum number of cached results. */
const maxCachedNumbers = 2 ** 18

function parseDecimal(text: string): number {
  // 17 characters: 15 digits, a point and a minus sign.
  if (text.length > 17 || !numberSyntax.test(text)) return Number.NaN
  return text.length > 15 && text.replace(/\D/g, '').length > 15 ? Number.NaN : Number(text)
}

const numberSyntax = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** Parses a time, as `comparisonKey` defines it. Returns undefined for other text and for dates that do not exist. */
export function parseTime(text: string): Date | undefined {
  const parts = timeSyntax.exec(text)
  if (!parts) return undefined
  const [year, month, day, hour, minute, second] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const [, , , , , , , fraction = '', sign, zoneHour = 0, zoneMinute = 0] = parts
  const time = new Date(0)
  time.setUTCFullYear(year as number, (month as number) - 1, day)
  if (time.getUTCMonth() !== (month as number) - 1 || time.getUTCDate() !== day) return undefined
  const zone = (sign === '-' ? -1 : 1) * (Number(zoneHour) * 60 + Number(zoneMinute))
  time.setUTCHours(
    hour as number,
    (minute as number) - zone,
    second,
    Number(fraction.padEnd(3, '0').slice(0, 3)),
  )
  return time
}

const timeSyntax = new RegExp(
  String.raw`^(\d{4})-(0[1-9]|1[0-2])-(\d\d)` +
    String.raw`(?:(?:T| (?!\d+:\d\d[Z+-]))([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?` +
    String.raw`(?:Z|([+-])([01]\d|2[0-4]):([0-5]\d|60))?)?$`,
)
