import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { libraryOf } from './libraries.ts'
import { failed, tried, watchdog } from './limit.ts'
import { type Column, measure } from './measure.ts'
import type { Run } from './table.ts'
import type { Visitor } from './visitor.ts'

/** Measures a library in a process that ends with it. */
export function inNode(library: string, records: number): Run {
  const url = JSON.stringify(import.meta.url)
  const program = `const { main } = await import(${url}); await main(process.argv.slice(1))`
  const node = ['--input-type=module', '--max-old-space-size=6000', '-e', program, '--']
  return async (without, tell) => {
    process.stderr.write(`${library}, ${records} records, in Node\n`)
    const asked = ['--library', library, '--records', `${records}`, '--without', without.join()]
    const child = spawn(process.execPath, [...node, ...asked], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    const dog = watchdog()
    createInterface({ input: child.stdout }).on('line', (line) => {
      dog.alive()
      tell(...(JSON.parse(line) as Parameters<typeof tell>))
    })
    const ended = once(child, 'close').then(([code]) => (code === 0 ? undefined : failed))
    const fault = await Promise.race([ended, dog.bitten])
    dog.end()
    child.kill('SIGKILL')
    await ended
    return fault
  }
}

/** In such a process: tells who started it what each column took, line by line. */
export async function measureHere(
  library: string,
  without: string,
  records: number,
): Promise<never> {
  const around = {
    cpu() {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1_000
    },
    tell: (...told: unknown[]) => void process.stdout.write(`${JSON.stringify(told)}\n`),
    without: without.split(',') as Column[],
  }
  await measure(await libraryOf(library), around, records)
  // Some libraries leave timers behind.
  process.exit(0)
}

/** Measures a library in a page that ends with it. */
export const inChromium =
  (visitor: Visitor, library: string, records: number): Run =>
  (without, tell) => {
    process.stderr.write(`${library}, ${records} records, in Chromium\n`)
    const dog = watchdog()
    const asked = [library, without, records] as const
    const work = visitor.alone(
      (page) => {
        const measure = page.evaluate((asked) => window.bench.measure(...asked), asked)
        return Promise.race([tried(measure.then(() => undefined)), dog.bitten])
      },
      (...told) => {
        dog.alive()
        tell(...told)
      },
    )
    return work.finally(dog.end)
  }
