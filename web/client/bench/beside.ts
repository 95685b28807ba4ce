import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { putPart } from '../../bench/part.mjs'
import { openBrowser } from './browser.ts'
import { crossingTable } from './crossing/table.ts'
import { diskTable } from './disk/table.ts'
import { growthTable } from './growth.ts'
import { libraries, libraryOf } from './libraries.ts'
import { chromiumRun, measureHere, nodeRun } from './runners.ts'
import { sizeTable } from './sizes.ts'
import { formatRows, measureRow, type Row, type Run } from './table.ts'

/**
 * Measures the client and other libraries, each in its own process or page, with plain Maps as the baseline, and
 * writes the tables into the results. `--print` prints them instead; `--only weft,maps` selects libraries; `--records
 * 1000` sets the size of the data; `--no-growth` leaves out the largest data.
 */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      library: { type: 'string' },
      without: { type: 'string', default: '' },
      records: { type: 'string', default: '10000' },
      only: { type: 'string', default: Object.keys(libraries).join() },
      print: { type: 'boolean', default: false },
      'no-growth': { type: 'boolean', default: false },
    },
  })
  const records = Number(values.records)
  if (values.library) return measureHere(values.library, values.without, records)
  const names = values.only.split(',')
  const browser = await openBrowser()
  try {
    const node = await rowsOf(await withoutBrowser(names), (name) => nodeRun(name, records))
    const page = await rowsOf(names, (name) => chromiumRun(browser, name, records))
    const parts = [
      `Measured with Node ${process.versions.node} and Chromium ${browser.version} on ${machine()}.`,
      '### In Node, processor time',
      formatRows(node, 'cpu'),
      '### In Node, by the clock',
      formatRows(node, 'clock'),
      '### In Chromium, processor time of all processes',
      formatRows(page, 'cpu'),
      '### In Chromium, by the clock',
      formatRows(page, 'clock'),
      '### On disk',
      await diskTable(browser, names, records),
      '### Crossing a thread',
      await crossingTable(browser),
      '### Download size',
      await sizeTable(names),
    ]
    if (!values['no-growth'])
      parts.push(
        '### As data grows, in Node, processor time',
        await growthTable(['maps', 'weft'], nodeRun, !values.print),
      )
    const text = parts.join('\n\n')
    if (values.print) process.stdout.write(`${text}\n`)
    else putPart('The client, compared with others', text)
  } finally {
    await browser.end()
  }
  return 0
}

const machine = () => `${availableParallelism()} processors: ${cpus()[0]?.model.trim()}`

async function withoutBrowser(names: readonly string[]): Promise<string[]> {
  const libraries = await Promise.all(names.map(libraryOf))
  return names.filter((_, i) => !libraries[i]?.browser)
}

async function rowsOf(
  names: readonly string[],
  run: (name: string) => Run,
): Promise<[name: string, row: Row][]> {
  const rows: [name: string, row: Row][] = []
  for (const name of names) rows.push([(await libraryOf(name)).name, await measureRow(run(name))])
  return rows
}
