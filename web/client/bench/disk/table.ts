import { enough, median } from '../cost.ts'
import { within } from '../limit.ts'
import { shown, tableOf } from '../text.ts'
import type { Visitor } from '../visitor.ts'
import { disks } from './disks.ts'

/** Opening a page takes longer than what is measured in most. */
const most = 5

/** What starting with a full disk takes, and writing to an empty one. Each round is in a page of its own. */
export async function diskTable(
  visitor: Visitor,
  names: readonly string[],
  records: number,
): Promise<string> {
  const rows: string[][] = []
  for (const name of names.filter((name) => disks[name])) {
    process.stderr.write(`${name}, on disk\n`)
    rows.push([name, await starts(visitor, name, records), await writes(visitor, name, records)])
  }
  return tableOf(
    [
      'IndexedDB, in Chromium (ms)',
      `${shown(19 * records)} cached rows → ten records read`,
      `${shown(records)} records until they are on disk`,
    ],
    rows,
  )
}

function starts(visitor: Visitor, name: string, records: number): Promise<string> {
  return visitor.alone(async (first, reopen) => {
    const filled = await within(
      first.evaluate(([name, n]) => window.bench.fill(name, n), [name, records] as const),
    )
    if (filled !== undefined) return `${filled} to fill it`
    return rounds(async () => (await reopen()).evaluate((name) => window.bench.start(name), name))
  })
}

const writes = (visitor: Visitor, name: string, records: number): Promise<string> =>
  rounds(() =>
    visitor.alone((page) =>
      page.evaluate(([name, n]) => window.bench.write(name, n), [name, records] as const),
    ),
  )

async function rounds(measure: () => Promise<number>): Promise<string> {
  const times: number[] = []
  do {
    const time = await within(measure())
    if (typeof time === 'string') return time
    times.push(time)
  } while (times.length < most && !enough(times))
  return shown(median(times))
}
