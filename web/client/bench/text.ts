/** A table in Markdown. */
export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** Three digits, whatever the size, with commas from a thousand on, a dash for what was not measured. */
export const shown = (n: number): string =>
  Number.isNaN(n)
    ? '–'
    : n >= 1_000
      ? Math.round(n).toLocaleString('en')
      : String(Number(n.toPrecision(n < 1 ? 2 : 3)))
