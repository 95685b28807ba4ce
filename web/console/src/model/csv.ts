/** Returns a line of CSV. Cells that a spreadsheet would run as a formula get an apostrophe in front. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Reports whether the whole text is a number. `-1+1` is not: a spreadsheet would calculate it. */
const isNumber = (text: string): boolean => /^-?[\d.,]+(?:e[+-]?\d+)?$/i.test(text)
