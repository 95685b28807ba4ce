/** Pairs of a token and the name to show for it. A User-Agent also contains the tokens of older browsers, so the order matters. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['CriOS', 'Chrome'],
  ['Safari', 'Safari'],
] as const
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'Mac OS'],
  ['Linux', 'Linux'],
] as const

/**
 * Returns a readable name for a User-Agent, such as "Firefox on Linux". For a program that is not a known browser, it is the
 * first word of the User-Agent, such as "curl".
 */
export function browserName(userAgent: string): string {
  const browser = firstName(browsers, userAgent) ?? userAgent.split(/[/ ]/)[0]
  return [browser || 'Unknown program', firstName(systems, userAgent)].filter(Boolean).join(' on ')
}

const firstName = (
  names: readonly (readonly [token: string, name: string])[],
  userAgent: string,
): string | undefined => names.find(([token]) => userAgent.includes(token))?.[1]
