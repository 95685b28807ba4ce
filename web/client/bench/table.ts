import type { Cost } from './cost.ts'
import { type Column, columns } from './measure.ts'
import { shown, tableOf } from './text.ts'

/** What each column took, or why that is not known. */
export type Row = Record<Column, Cost | string>

/** Lets a library be measured without some columns, tells what each took, and resolves, if it came to no end, with why. */
export type Run = (
  without: readonly Column[],
  tell: (column: Column, cost?: Cost) => void,
) => Promise<string | undefined>

const names = Object.keys(columns) as Column[]

/** Measures all columns. One that comes to no end, or fails, says so, and the others are measured without it. */
export async function rowOf(run: Run): Promise<Row> {
  const row: Partial<Row> = {}
  for (;;) {
    const known = names.filter((name) => row[name] !== undefined)
    let at = 'load' as Column
    const fault = await run(known, (column, cost) => {
      at = column
      if (cost) row[column] = cost
    })
    if (!fault) return row as Row
    if (at !== 'load') row[at] ??= fault
    // Who tells nothing new, such as one whose data never loads, is not asked again.
    if (!names.some((name) => row[name] !== undefined && !known.includes(name)))
      for (const name of names) row[name] ??= fault
    if (names.every((name) => row[name] !== undefined)) return row as Row
  }
}

/** All rows beside the first, which is the limit, by the clock or by what processors worked. */
export function tableOfRows(rows: readonly (readonly [string, Row])[], by: keyof Cost): string {
  const limit = rows[0]?.[1]
  const cell = (row: Row, name: Column) => {
    const [cost, least] = [row[name], limit?.[name]]
    if (cost === undefined || typeof cost === 'string') return `${cost ?? ''}`
    if (row === limit || typeof least !== 'object') return shown(cost[by])
    return `${shown(cost[by])} (${shown(cost[by] / least[by])}×)`
  }
  return tableOf(
    ['', ...names.map((name) => columns[name])],
    rows.map(([library, row]) => [library, ...names.map((name) => cell(row, name))]),
  )
}
