import type { Cost } from './cost.ts'
import { type Column, columns } from './measure.ts'
import { formatNumber, markdownTable } from './text.ts'

/** The cost of each column, or the reason why it could not be measured. */
export type Row = Record<Column, Cost | string>

/**
 * Measures all columns of a library except the skipped ones. Calls `report` when a column starts, and later with its
 * cost so far. If the measurement did not finish, resolves with the reason.
 */
export type Run = (
  skippedColumns: readonly Column[],
  report: (column: Column, cost?: Cost) => void,
) => Promise<string | undefined>

const names = Object.keys(columns) as Column[]

/**
 * Measures all columns of a library. When a column times out or fails, its cell says so, and a further run measures the
 * columns that have no result yet.
 */
export async function measureRow(run: Run): Promise<Row> {
  const row: Partial<Row> = {}
  for (;;) {
    const measured = names.filter((name) => row[name] !== undefined)
    let running = 'load' as Column
    const reason = await run(measured, (column, cost) => {
      running = column
      if (cost) row[column] = cost
    })
    if (!reason) return row as Row
    if (running !== 'load') row[running] ??= reason
    // A run without a new result is not repeated, because the library may be unable to load the data.
    if (!names.some((name) => row[name] !== undefined && !measured.includes(name)))
      for (const name of names) row[name] ??= reason
    if (names.every((name) => row[name] !== undefined)) return row as Row
  }
}

/** Returns a table of the rows, in clock time or processor time, with the ratios to the first row. */
export function formatRows(rows: readonly (readonly [string, Row])[], by: keyof Cost): string {
  const baseline = rows[0]?.[1]
  const cell = (row: Row, name: Column) => {
    const [cost, baselineCost] = [row[name], baseline?.[name]]
    if (cost === undefined || typeof cost === 'string') return `${cost ?? ''}`
    if (row === baseline || typeof baselineCost !== 'object') return formatNumber(cost[by])
    return `${formatNumber(cost[by])} (${formatNumber(cost[by] / baselineCost[by])}×)`
  }
  return markdownTable(
    ['', ...names.map((name) => columns[name])],
    rows.map(([library, row]) => [library, ...names.map((name) => cell(row, name))]),
  )
}
