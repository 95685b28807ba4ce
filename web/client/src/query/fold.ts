/**
 * A text as it is compared: every letter of Unicode 15 in lower case, code point by code point and whatever
 * its neighbours are, and nothing else changed.
 */
export const fold = (text: string): string =>
  !plain.test(text) && odd.test(text) ? Array.from(text, lower).join('') : text.toLowerCase()

const plain = /^[ -~]*$/

const newer =
  '\\u1c89\\ua7cb\\ua7cc\\ua7ce\\ua7d2\\ua7d4\\ua7da\\ua7dc\\u{10d50}-\\u{10d65}\\u{16ea0}-\\u{16eb8}'
const isNewer = new RegExp(`[${newer}]`, 'u')
/** Letters that are newer, hang on their neighbours, or are two code points in lower case. */
const odd = new RegExp(`[Σİ${newer}]`, 'u')

function lower(letter: string): string {
  if (letter === 'İ') return 'i'
  return isNewer.test(letter) ? letter : letter.toLowerCase()
}

/** A value in comparable form. Values of different kinds are never equal, and none comes before the other. */
export type Key = number | Date | string

/**
 * The key of a value. A number is written as in JSON, without an exponent and with at most fifteen digits, so
 * that nothing is lost in reading it: 3 and 3.00 are equal, and 007, +49 or a longer row of digits are
 * texts. A time is a date, or a date and a time of day, as in ISO 8601, with a zone or else in UTC, and exact
 * to the millisecond. Whatever is neither is a text.
 */
export function keyOf(value: string): Key {
  const first = value.charCodeAt(0)
  if (first < 48 ? first !== 45 : !(first <= 57)) return fold(value)
  return number(value) ?? time(value) ?? fold(value)
}

/** Less than, equal to or greater than zero. Undefined for keys of different kinds. */
export function compare(a: Key, b: Key): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  return a instanceof Date && b instanceof Date ? a.getTime() - b.getTime() : undefined
}

/** By the order of their bytes in UTF-8, where halves of surrogate pairs stand behind all other units. */
function compareTexts(a: string, b: string): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
  if (x >= 0xd800 && y >= 0xd800) return raised(x) - raised(y)
  return x === y ? 0 : x - y || a.length - b.length
}

const raised = (unit: number): number => (unit < 0xe000 ? unit + 0x10000 : unit)

/** The number that a text is, as keyOf describes it. Reading it costs most of a range, so what was read is kept. */
export function number(text: string): number | undefined {
  let n = numbers.get(text)
  if (n === undefined) {
    n = read(text)
    if (numbers.size >= maxNumbers) numbers.clear()
    numbers.set(text, n)
  }
  return Number.isNaN(n) ? undefined : n
}

const numbers = new Map<string, number>()
const maxNumbers = 2 ** 18

function read(text: string): number {
  // Fifteen digits, a point and a minus sign.
  if (text.length > 17 || !numeric.test(text)) return Number.NaN
  return text.length > 15 && text.replace(/\D/g, '').length > 15 ? Number.NaN : Number(text)
}

const numeric = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** The time that a text is, as keyOf describes it. */
export function time(text: string): Date | undefined {
  const parts = timed.exec(text)
  if (!parts) return undefined
  const [year, month, day, hour, minute, second] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const [, , , , , , , fraction = '', sign, zoneHour = 0, zoneMinute = 0] = parts
  const at = new Date(0)
  at.setUTCFullYear(year as number, (month as number) - 1, day)
  if (at.getUTCMonth() !== (month as number) - 1 || at.getUTCDate() !== day) return undefined
  const zone = (sign === '-' ? -1 : 1) * (Number(zoneHour) * 60 + Number(zoneMinute))
  at.setUTCHours(
    hour as number,
    (minute as number) - zone,
    second,
    Number(fraction.padEnd(3, '0').slice(0, 3)),
  )
  return at
}

const timed = new RegExp(
  String.raw`^(\d{4})-(0[1-9]|1[0-2])-(\d\d)` +
    String.raw`(?:(?:T| (?!\d+:\d\d[Z+-]))([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?` +
    String.raw`(?:Z|([+-])([01]\d|2[0-4]):([0-5]\d|60))?)?$`,
)
