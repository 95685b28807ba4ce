import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { BenchBrowser } from './browser.ts'
import { libraryOf } from './libraries.ts'
import { type Column, measure } from './measure.ts'
import type { Run } from './table.ts'
import { failed, orFailed, startTimer } from './time-limit.ts'

/** Returns a run that measures a library in its own process. */
export function nodeRun(library: string, records: number): Run {
  // web/run.mjs bundles this module with `beside.ts`, so the bundle also exports `main`, the entry of the new process.
  const url = JSON.stringify(import.meta.url)
  const program = `const { main } = await import(${url}); await main(process.argv.slice(1))`
  const node = ['--input-type=module', '--max-old-space-size=6000', '-e', program, '--']
  return async (skippedColumns, report) => {
    process.stderr.write(`${library}, ${records} records, in Node\n`)
    const args = [
      '--library',
      library,
      '--records',
      `${records}`,
      '--without',
      skippedColumns.join(),
    ]
    const child = spawn(process.execPath, [...node, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    const timer = startTimer()
    createInterface({ input: child.stdout }).on('line', (line) => {
      timer.restart()
      report(...(JSON.parse(line) as Parameters<typeof report>))
    })
    const ended = once(child, 'close').then(([code]) => (code === 0 ? undefined : failed))
    const failure = await Promise.race([ended, timer.expired])
    timer.stop()
    child.kill('SIGKILL')
    await ended
    return failure
  }
}

/**
 * Measures a library in this process, which `nodeRun` started. Prints the arguments of each report as a line of JSON: the
 * column that starts, and later the column with its cost so far.
 */
export async function measureHere(
  library: string,
  skippedColumns: string,
  records: number,
): Promise<never> {
  const environment = {
    cpu() {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1_000
    },
    report: (...args: unknown[]) => void process.stdout.write(`${JSON.stringify(args)}\n`),
    skippedColumns: skippedColumns.split(',') as Column[],
  }
  await measure(await libraryOf(library), environment, records)
  // Some libraries leave timers behind.
  process.exit(0)
}

/** Returns a run that measures a library in its own page. */
export const chromiumRun =
  (browser: BenchBrowser, library: string, records: number): Run =>
  (skippedColumns, report) => {
    process.stderr.write(`${library}, ${records} records, in Chromium\n`)
    const timer = startTimer()
    const args = [library, skippedColumns, records] as const
    const work = browser.inNewPage(
      (page) => {
        const measured = page.evaluate((args) => window.bench.measure(...args), args)
        return Promise.race([orFailed(measured.then(() => undefined)), timer.expired])
      },
      (...reported) => {
        timer.restart()
        report(...reported)
      },
    )
    return work.finally(timer.stop)
  }
