/**
 * Returns the problem of a field's pattern; undefined if the pattern is valid. Patterns are regular expressions with
 * the flag `u`, limited to syntax that runs in linear time on the server and has the same meaning in Go:
 *
 *   abc  .  [a-z_]  [^0-9]  a|b  (…)  (?:…)  ^  $
 *   * + ? {2} {2,} {2,5}                  also followed by ?; a count is at most 1000
 *   \d \D \w \W \s \S \b \B               \S not in a character class
 *   \n \r \t \f \v                        and \ before one of ^ $ \ . * + ? ( ) [ ] { } | /
 */
export function checkPattern(pattern: string): string | undefined {
  const rest = pattern.replace(atom, '')
  if (rest !== '') return `the pattern has unsupported syntax: ${rest.slice(0, 50)}`
  try {
    new RegExp(pattern, 'u')
  } catch {
    return 'the pattern is malformed'
  }
  return largestCount(pattern) > 1000 ? 'the pattern is too large' : undefined
}

/** Returns the largest number of repetitions that nested counts such as `{n,m}` give a part of the pattern. */
function largestCount(pattern: string): number {
  const tokens = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gsu
  /** The largest count inside each open group, and that of the last part. */
  const groups = [1]
  let last = 1
  for (const [token, low, high] of pattern.matchAll(tokens)) {
    if (low !== undefined) last *= Math.max(Number(high || low), 1)
    else if (token === '(') groups.push(1)
    else last = token === ')' ? (groups.pop() ?? 1) : 1
    groups[groups.length - 1] = Math.max(groups.at(-1) ?? 1, token === '(' ? 1 : last, 1)
  }
  return Math.max(...groups)
}

const classItem = String.raw`(?:[^\\\[\]]|\\[dDwWsnrtfv^$\\.*+?()[\]{}|/-])`

/** Matches one part of the supported syntax. Does not check whether groups and quantifiers fit together. */
const atom = new RegExp(
  String.raw`\(\?:|\((?!\?)|\[(?!\^\])\^?${classItem}+\]|\\[dDwWsSbBnrtfv^$\\.*+?()[\]{}|/]|\{\d+(?:,\d*)?\}|[^\\\[\]{}(]`,
  'gsu',
)
