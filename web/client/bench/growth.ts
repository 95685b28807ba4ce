import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Column, columns } from './measure.ts'
import { plot } from './plot.ts'
import { type Row, type Run, rowOf } from './table.ts'
import { shown, tableOf } from './text.ts'

/** Records that are ten thousand, a hundred thousand and a million concepts. */
const steps = [1_000, 10_000, 100_000]

/** What each question costs as there is more data, as a table; and as a picture beside the results if that is wanted. */
export async function growthTable(
  names: readonly string[],
  run: (name: string, records: number) => Run,
  drawn: boolean,
): Promise<string> {
  const rows: Row[][] = []
  for (const name of names) {
    const steady: Row[] = []
    for (const records of steps) steady.push(await rowOf(run(name, records)))
    rows.push(steady)
  }
  const at = (name: number, step: number, column: Column) => {
    const cost = rows[name]?.[step]?.[column]
    return typeof cost === 'object' ? cost.cpu : cost
  }
  const keys = Object.keys(columns) as Column[]
  const table = tableOf(
    ['', '', ...steps.map((n) => `${shown(10 * n)} concepts`)],
    keys.flatMap((key) =>
      names.map((name, i) => {
        const cells = steps.map((_, step) => at(i, step, key))
        return [
          columns[key],
          name,
          ...cells.map((n) => (typeof n === 'number' ? shown(n) : `${n}`)),
        ]
      }),
    ),
  )
  if (!drawn) return table
  const panels = keys.map((key) => ({
    title: columns[key],
    lines: names.map((name, i) => ({
      name,
      points: steps.flatMap((records, step) => {
        const n = at(i, step, key)
        return typeof n === 'number' && n > 0 ? [[10 * records, n] as const] : []
      }),
    })),
  }))
  writeFileSync(join(import.meta.dirname, '../../bench/growth.svg'), plot(panels))
  return `${table}\n\n![the same as curves: concepts to the right, time upwards, both logarithmic](growth.svg)`
}
