/*
 * Tables on the clipboard: rows of cells separated by tabs, as spreadsheets write them. A cell that contains a tab, a line break
 * or a quote is quoted, and its quotes are doubled.
 */

/** Returns a table as text. */
export function writeTable(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => cells.map(quote).join('\t')).join('\n')
}

const quote = (text: string): string =>
  /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Reads a table. A last line break adds no row. */
export function readTable(text: string): readonly (readonly string[])[] {
  return readDelimited(text, '\t')
}

/**
 * Reads rows of cells with a separator. Quoted cells may contain separators and line breaks. If a cell does not begin with a
 * quote, quotes inside it are kept.
 */
export function readDelimited(text: string, separator: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const [quoted, start] = text[at] === '"' ? readQuoted(text, at) : ['', at]
    const [rest, end] = readPlain(text, start, separator)
    row.push(quoted + rest)
    at = end
    if (text[at] === separator) {
      at++
      if (at === text.length) row.push('')
      continue
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    rows.push(row)
    row = []
  }
  if (row.length > 0) rows.push(row)
  return rows
}

function readQuoted(text: string, start: number): readonly [cell: string, end: number] {
  let cell = ''
  let at = start + 1
  while (at < text.length) {
    const next = text.indexOf('"', at)
    if (next < 0) return [cell + text.slice(at), text.length]
    cell += text.slice(at, next)
    if (text[next + 1] !== '"') return [cell, next + 1]
    cell += '"'
    at = next + 2
  }
  return [cell, at]
}

function readPlain(
  text: string,
  start: number,
  separator: string,
): readonly [cell: string, end: number] {
  let end = start
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r')
    end++
  return [text.slice(start, end), end]
}
