import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Column, Times } from './measure.ts'
import { columns } from './measure.ts'
import { plot } from './plot.ts'
import { shown, tableOf } from './text.ts'

/** Records that are ten thousand, a hundred thousand and a million concepts. */
const steps = [1_000, 10_000, 100_000]

/** What each question costs as there is more data, as a table; and as a picture beside the results if that is wanted. */
export async function growthTable(
  names: readonly string[],
  measure: (name: string, records: number) => Times,
  drawn: boolean,
): Promise<string> {
  const times = names.map((name) => steps.map((records) => measure(name, records)))
  const keys = Object.keys(columns) as Column[]
  const rows = keys.flatMap((key) =>
    names.map((name, i) => [columns[key], name, ...(times[i] ?? []).map((at) => shown(at[key]))]),
  )
  const table = tableOf(
    ['as data grows', '', ...steps.map((n) => `${shown(10 * n)} concepts`)],
    rows,
  )
  if (!drawn) return table
  const lines = keys.flatMap((key) =>
    names.map((name, i) => ({
      name: `${name}: ${columns[key]}`,
      group: key,
      faint: name === 'maps',
      points: (times[i] ?? []).map((at, n) => [10 * (steps[n] ?? 0), at[key]] as const),
    })),
  )
  writeFileSync(join(import.meta.dirname, '../../bench/growth.svg'), plot(lines))
  return `${table}\n\n![the same, both axes logarithmic](growth.svg)`
}
