import { median } from './measure.ts'
import { shown, tableOf } from './text.ts'
import type { Visitor } from './visitor.ts'

const rounds = 5

/** What starting with a full disk takes, and writing to it. */
export async function diskTable(
  visitor: Visitor,
  names: readonly string[],
  records: number,
): Promise<string> {
  const rows: string[][] = []
  for (const name of names) {
    if (!['weft', 'tinybase', 'dexie'].includes(name)) continue
    const starts = await visitor.alone(async (first, reopen) => {
      await first.evaluate(([name, n]) => window.disk(name, 'fill', n), [name, records] as const)
      const times: number[] = []
      for (let round = 0; round < rounds; round++) {
        const page = await reopen()
        times.push(await page.evaluate(([name]) => window.disk(name, 'start', 0), [name] as const))
      }
      return times
    })
    const writes: number[] = []
    for (let round = 0; round < rounds; round++)
      writes.push(
        await visitor.alone((page) =>
          page.evaluate(([name, n]) => window.disk(name, 'write', n), [name, records] as const),
        ),
      )
    rows.push([name, shown(median(starts)), shown(median(writes))])
  }
  const cached = `${shown(19 * records)} cached rows → first answer`
  const written = `${shown(records)} records until they are on disk`
  return tableOf(['IndexedDB, in Chromium (ms)', cached, written], rows)
}
