import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { putPart } from '../../bench/part.mjs'
import { crossingTable } from './crossing/table.ts'
import { diskTable } from './disk/table.ts'
import { growthTable } from './growth.ts'
import { libraries, libraryOf } from './libraries.ts'
import { inChromium, inNode, measureHere } from './place.ts'
import { sizeTable } from './sizes.ts'
import { type Row, type Run, rowOf, tableOfRows } from './table.ts'
import { openBrowser } from './visitor.ts'

/**
 * Measures the client beside other libraries and bare Maps, each in a process or a page of its own, and writes what
 * came of it into the results. `--print` prints it; `--only weft,maps` leaves others out; `--records 1000` takes
 * fewer; `--no-growth` ends before the largest data.
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
  const visitor = await openBrowser()
  try {
    const page = await rowsOf(names, (name) => inChromium(visitor, name, records))
    const parts = [
      `Measured with Node ${process.versions.node} and Chromium ${visitor.version} on ${machine()}.`,
      '### In Node, what the processors worked',
      tableOfRows(
        await rowsOf(await withoutBrowser(names), (name) => inNode(name, records)),
        'cpu',
      ),
      '### In Chromium, what the processors worked, in all of its processes',
      tableOfRows(page, 'cpu'),
      '### In Chromium, by the clock',
      tableOfRows(page, 'clock'),
      '### On the disk',
      await diskTable(visitor, names, records),
      '### Crossing a thread',
      await crossingTable(visitor),
      '### What is downloaded',
      await sizeTable(names),
    ]
    if (!values['no-growth'])
      parts.push(
        '### As data grows, in Node, what the processors worked',
        await growthTable(['maps', 'weft'], inNode, !values.print),
      )
    const text = parts.join('\n\n')
    if (values.print) process.stdout.write(`${text}\n`)
    else putPart('The client, beside others', text)
  } finally {
    await visitor.end()
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
  for (const name of names) rows.push([(await libraryOf(name)).name, await rowOf(run(name))])
  return rows
}
