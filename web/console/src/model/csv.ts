/** Returns a line of CSV. An apostrophe is put in front of text that a spreadsheet would run as a formula. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Reports whether a text is a number, with nothing after it: a spreadsheet would also calculate -1+1. */
const isNumber = (text: string): boolean => /^-?[\d.,]+(?:e[+-]?\d+)?$/i.test(text)
