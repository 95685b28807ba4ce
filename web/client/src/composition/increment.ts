import { WeftError } from '../model/error.ts'

/** Matches a number as JSON writes it. */
const number = /^-?(0|[1-9]\d{0,400})(\.(\d{1,400}))?([eE]([+-]?\d{1,3}))?$/

/**
 * Adds the number `by` to a value; both numbers and the returned sum are text. `''` and `'null'` count as 0.
 *
 * The sum of two integers is exact. Decimals are added exactly, and the sum is rounded once to the nearest number: 0.1
 * plus 0.2 is 0.3. Throws `invalid` if `text` or `by` is not a number, if an integer sum is beyond 2^53-1, and if
 * another sum is 1e21 or more. The server has the same rule; the shared cases in `spec/increment` check both.
 */
export function incrementText(text: string, by: string): string {
  const terms = [text === '' || text === 'null' ? '0' : text, by].map(parseDecimal)
  const scale = Math.max(...terms.map((term) => term?.scale ?? 0))
  const [sum, isInteger] = terms.reduce<[bigint, boolean]>(
    ([sum, isInteger], term) => {
      if (!term) refuse(`cannot add ${quote(text)} and ${quote(by)}: they must both be numbers`)
      const unit = 10n ** BigInt(term.scale)
      return [
        sum + term.digits * 10n ** BigInt(scale - term.scale),
        isInteger && term.digits % unit === 0n,
      ]
    },
    [0n, true],
  )
  const value = Number(`${sum}e-${scale}`)
  const limit = isInteger ? Number.MAX_SAFE_INTEGER + 1 : 1e21
  if (Math.abs(value) >= limit) refuse(`the sum of ${quote(text)} and ${quote(by)} is too large`)
  return String(value === 0 ? 0 : value)
}

/** The number `digits` / 10^`scale`. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

function parseDecimal(text: string): Decimal | undefined {
  const match = number.exec(text)
  if (!match) return undefined
  const [, whole = '', , fraction = '', , exponent = '0'] = match
  const digits = BigInt(whole + fraction) * (text.startsWith('-') ? -1n : 1n)
  const scale = fraction.length - Number(exponent)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 80))

function refuse(message: string): never {
  throw new WeftError('invalid', message)
}
