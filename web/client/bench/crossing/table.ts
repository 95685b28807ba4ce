import { within } from '../limit.ts'
import { shown, tableOf } from '../text.ts'
import type { Visitor } from '../visitor.ts'

/** What it costs to keep the data in another thread than the one that reads it. */
export async function crossingTable(visitor: Visitor): Promise<string> {
  process.stderr.write('crossing a thread\n')
  const found = await visitor.alone((page) => within(page.evaluate(() => window.bench.cross())))
  const cell = (of: 'here' | 'there' | 'gathered') =>
    typeof found === 'string' ? found : shown(found[of].clock)
  return tableOf(
    ['one concept, in Chromium (µs)', 'one after another', '1,000 at once, each'],
    [
      ['in the page, as weft keeps it', cell('here'), '–'],
      ['from Maps in a worker, over a port', cell('there'), cell('gathered')],
    ],
  )
}
