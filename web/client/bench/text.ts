/** Returns a table in Markdown. */
export const markdownTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** Formats a number with three significant digits, and with commas from 1,000 on. NaN becomes a dash. */
export const formatNumber = (n: number): string =>
  Number.isNaN(n)
    ? '–'
    : n >= 1_000
      ? Math.round(n).toLocaleString('en')
      : String(Number(n.toPrecision(n < 1 ? 2 : 3)))
