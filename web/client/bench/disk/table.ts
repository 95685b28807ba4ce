import type { BenchBrowser } from '../browser.ts'
import { areEnoughRounds, median } from '../cost.ts'
import { formatNumber, markdownTable } from '../text.ts'
import { withTimeout } from '../time-limit.ts'
import { disks } from './disks.ts'

/** Maximum number of rounds. It is low because each round opens a page, which takes longer than the measurement. */
const maxRounds = 5

/** Measures the start with a filled disk, and writing to an empty disk. Each round has its own page. */
export async function diskTable(
  browser: BenchBrowser,
  names: readonly string[],
  records: number,
): Promise<string> {
  const rows: string[][] = []
  for (const name of names.filter((name) => disks[name])) {
    process.stderr.write(`${name}, on disk\n`)
    const start = await measureStart(browser, name, records)
    rows.push([name, start, await measureWriting(browser, name, records)])
  }
  return markdownTable(
    [
      'IndexedDB, in Chromium (ms)',
      `${formatNumber(19 * records)} cached rows → ten records read`,
      `${formatNumber(records)} records until they are on disk`,
    ],
    rows,
  )
}

function measureStart(browser: BenchBrowser, name: string, records: number): Promise<string> {
  return browser.inNewPage(async (first, reopen) => {
    const failure = await withTimeout(
      first.evaluate(([name, n]) => window.bench.fill(name, n), [name, records] as const),
    )
    if (failure !== undefined) return `filling: ${failure}`
    return medianOfRounds(async () =>
      (await reopen()).evaluate((name) => window.bench.start(name), name),
    )
  })
}

const measureWriting = (browser: BenchBrowser, name: string, records: number): Promise<string> =>
  medianOfRounds(() =>
    browser.inNewPage((page) =>
      page.evaluate(([name, n]) => window.bench.write(name, n), [name, records] as const),
    ),
  )

async function medianOfRounds(measure: () => Promise<number>): Promise<string> {
  const times: number[] = []
  do {
    const time = await withTimeout(measure())
    if (typeof time === 'string') return time
    times.push(time)
  } while (times.length < maxRounds && !areEnoughRounds(times))
  return formatNumber(median(times))
}
