import type { BenchBrowser } from '../browser.ts'
import { formatNumber, markdownTable } from '../text.ts'
import { withTimeout } from '../time-limit.ts'
import type { CrossingCosts } from './cross.ts'

/** Measures the cost of keeping the data in another thread than the code that reads it. */
export async function crossingTable(browser: BenchBrowser): Promise<string> {
  process.stderr.write('crossing a thread\n')
  const costs = await browser.inNewPage((page) =>
    withTimeout(page.evaluate(() => window.bench.measureCrossing())),
  )
  const cell = (place: keyof CrossingCosts) =>
    typeof costs === 'string' ? costs : formatNumber(costs[place].clock)
  return markdownTable(
    ['one concept, in Chromium (µs)', 'one after another', '1,000 at once, each'],
    [
      ['in the page, as weft keeps it', cell('inPage'), '–'],
      ['from Maps in a worker, over a port', cell('inWorker'), cell('inWorkerBatched')],
    ],
  )
}
