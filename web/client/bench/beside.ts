import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { putPart } from '../../bench/part.mjs'
import { diskTable } from './disk-table.ts'
import { growthTable } from './growth.ts'
import { libraries, libraryOf } from './libraries.ts'
import { type Column, columns, measured, type Times } from './measure.ts'
import { sizeTable } from './sizes.ts'
import { shown, tableOf } from './text.ts'
import { openBrowser, type Visitor } from './visitor.ts'

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
      records: { type: 'string', default: '10000' },
      only: { type: 'string', default: Object.keys(libraries).join() },
      print: { type: 'boolean', default: false },
      'no-growth': { type: 'boolean', default: false },
    },
  })
  const records = Number(values.records)
  if (values.library) {
    process.stdout.write(JSON.stringify(await measured(await libraryOf(values.library), records)))
    // Some libraries leave timers behind.
    process.exit(0)
  }
  const names = values.only.split(',')
  const visitor = await openBrowser()
  try {
    const parts = [
      `In Node ${process.versions.node}, CPU time where it is milliseconds:`,
      await compared(await withoutBrowser(names), (name) => inNode(name, records)),
      `In Chromium ${visitor.version}, by the clock:`,
      await compared(names, (name) => inChromium(visitor, name, records)),
      await diskTable(visitor, names, records),
      await sizeTable(names),
    ]
    if (!values['no-growth']) parts.push(await growthTable(['maps', 'weft'], inNode, !values.print))
    const text = parts.join('\n\n')
    if (values.print) process.stdout.write(`${text}\n`)
    else putPart('The client, beside others', text)
  } finally {
    await visitor.end()
  }
  return 0
}

async function withoutBrowser(names: readonly string[]): Promise<string[]> {
  const libraries = await Promise.all(names.map(libraryOf))
  return names.filter((_, i) => !libraries[i]?.browser)
}

/** A process that ends with it. */
function inNode(library: string, records: number): Times {
  const url = JSON.stringify(import.meta.url)
  const program = `const { main } = await import(${url}); await main(process.argv.slice(1))`
  const args = ['--input-type=module', '--max-old-space-size=6000', '-e', program, '--']
  const asked = ['--library', library, '--records', `${records}`]
  return JSON.parse(execFileSync(process.execPath, [...args, ...asked], { encoding: 'utf8' }))
}

const inChromium = (visitor: Visitor, library: string, records: number): Promise<Times> =>
  visitor.alone((page) =>
    page.evaluate(([library, records]) => window.measure(library, records), [
      library,
      records,
    ] as const),
  )

async function compared(
  names: readonly string[],
  measure: (name: string) => Times | Promise<Times>,
): Promise<string> {
  const rows: [name: string, times: Times][] = []
  for (const name of names) {
    process.stderr.write(`${name}\n`)
    rows.push([(await libraryOf(name)).name, await measure(name)])
  }
  const limit = rows[0]?.[1]
  const keys = Object.keys(columns) as Column[]
  const cell = (times: Times, key: Column) => {
    const ratio =
      limit && times !== limit && times[key] > 0 ? ` (${shown(times[key] / limit[key])}×)` : ''
    return `${shown(times[key])}${ratio}`
  }
  return tableOf(
    ['', ...keys.map((key) => columns[key])],
    rows.map(([name, times]) => [name, ...keys.map((key) => cell(times, key))]),
  )
}
