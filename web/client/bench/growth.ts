import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Column, columns } from './measure.ts'
import { plot } from './plot.ts'
import { measureRow, type Row, type Run } from './table.ts'
import { formatNumber, markdownTable } from './text.ts'

/** Numbers of records. Each record has ten concepts. */
const steps = [1_000, 10_000, 100_000]

/** Measures each column with growing data. Returns a table. If `isPlotted`, also writes curves next to the results. */
export async function growthTable(
  names: readonly string[],
  run: (name: string, records: number) => Run,
  isPlotted: boolean,
): Promise<string> {
  const rows: Row[][] = []
  for (const name of names) {
    const rowsOfLibrary: Row[] = []
    for (const records of steps) rowsOfLibrary.push(await measureRow(run(name, records)))
    rows.push(rowsOfLibrary)
  }
  const costAt = (library: number, step: number, column: Column) => {
    const cost = rows[library]?.[step]?.[column]
    return typeof cost === 'object' ? cost.cpu : cost
  }
  const keys = Object.keys(columns) as Column[]
  const table = markdownTable(
    ['', '', ...steps.map((n) => `${formatNumber(10 * n)} concepts`)],
    keys.flatMap((key) =>
      names.map((name, i) => {
        const cells = steps.map((_, step) => costAt(i, step, key))
        return [
          columns[key],
          name,
          ...cells.map((n) => (typeof n === 'number' ? formatNumber(n) : `${n}`)),
        ]
      }),
    ),
  )
  if (!isPlotted) return table
  const panels = keys.map((key) => ({
    title: columns[key],
    lines: names.map((name, i) => ({
      name,
      points: steps.flatMap((records, step) => {
        const n = costAt(i, step, key)
        return typeof n === 'number' && n > 0 ? [[10 * records, n] as const] : []
      }),
    })),
  }))
  writeFileSync(join(import.meta.dirname, '../../bench/growth.svg'), plot(panels))
  return `${table}\n\n![the same data as curves: concepts on the x axis, time on the y axis, both logarithmic](growth.svg)`
}
