import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { launch } from '../e2e/launch.ts'

/*
 * Measures the grid of the console on many records of 20 fields, and prints Markdown. RECORDS=100000 changes their
 * number. The records are public, and imported as a user would import them. Chromium and the server share the
 * processors.
 */
const records = Number(process.env.RECORDS ?? 1_000_000)
const fields = 20
const jumps = 60
const scrollMs = 3_000
const binary = process.env.WEFT ?? join(import.meta.dirname, '../../bin/weft')
const user = { email: 'ann@example.org', password: 'correct horse' }

export async function main(): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'weft-bench-console-'))
  try {
    await importRecords(data)
    const add = ['user', 'add', user.email, '--admin', '--password-stdin', '--data', data]
    execFileSync(binary, add, { input: user.password })
    const server = spawn(binary, ['serve', '--listen', '127.0.0.1:0', '--data', data], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      await measure(await urlOf(server.stdout))
    } finally {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
  return 0
}

/** Writes the records to a file and imports it. */
async function importRecords(data: string): Promise<void> {
  const file = join(data, 'items.json')
  const out = createWriteStream(file)
  for (let i = 0; i < records; i++)
    if (!out.write(`${JSON.stringify(recordOf(i))}\n`)) await once(out, 'drain')
  out.end()
  await once(out, 'finish')
  execFileSync(binary, ['import', 'json', file, '--type', 'the_item', '--data', data], {
    stdio: 'ignore',
  })
  rmSync(file)
}

/** Returns a record with a unique name and values that many records share. */
function recordOf(i: number): Record<string, string> {
  const record: Record<string, string> = { name: `Item ${String(i).padStart(7, '0')}` }
  for (let f = 1; f < fields; f++) record[`field${f}`] = `value ${(i * (f + 7)) % (50 * f)}`
  return record
}

async function urlOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
    if (url === undefined) continue
    output.resume()
    return url
  }
  throw new Error(`${binary} exited before it was ready`)
}

async function measure(url: string): Promise<void> {
  const browser = await launch()
  try {
    const page = await (
      await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ).newPage()
    await page.goto(`${url}/console/records`)
    await page.getByLabel('E-mail').fill(user.email)
    await page.getByLabel('Password').fill(user.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const link = page.getByRole('navigation', { name: 'Types' }).getByText('Items')
    await link.waitFor()
    const opened = await openGrid(page)
    const jumped = await jump(page)
    const frames = await scroll(page)
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    print(opened, jumped, frames, await scroll(page))
  } finally {
    await browser.close()
  }
}

/** Clicks the type and returns the time until its first rows have text, in milliseconds. */
const openGrid = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const start = performance.now()
    const links = [...document.querySelectorAll<HTMLAnchorElement>('.side a')]
    links.find((link) => link.textContent.includes('Items'))?.click()
    const nextFrame = () => new Promise(requestAnimationFrame)
    while (!document.querySelector('#cell-20-0')?.textContent) await nextFrame()
    return performance.now() - start
  })

/** Jumps to positions spread over the grid, and returns the times until a row on the screen has text. */
const jump = (page: Page): Promise<readonly number[]> =>
  page.evaluate(async (count) => {
    const grid = document.querySelector('.grid') as HTMLElement
    const nextFrame = () => new Promise(requestAnimationFrame)
    const hasRows = () => {
      const middle = grid.getBoundingClientRect().top + 400
      return [...grid.querySelectorAll('.grid-rows > .row')].some((row) => {
        const { top, bottom } = row.getBoundingClientRect()
        const cell = row.querySelector('[role="gridcell"]')
        return top <= middle && bottom >= middle && (cell?.textContent ?? '') !== ''
      })
    }
    const times: number[] = []
    for (let i = 0; i < count; i++) {
      const start = performance.now()
      grid.scrollTop = grid.scrollHeight * ((i * 0.618034) % 1)
      await nextFrame()
      await nextFrame()
      while (!hasRows()) await nextFrame()
      times.push(performance.now() - start)
    }
    return times
  }, jumps)

/** Scrolls 40 pixels in each frame and returns the frames in a second. */
const scroll = (page: Page): Promise<number> =>
  page.evaluate(async (duration) => {
    const grid = document.querySelector('.grid') as HTMLElement
    grid.scrollTop = 0
    const nextFrame = () => new Promise(requestAnimationFrame)
    const start = performance.now()
    let frames = 0
    while (performance.now() - start < duration) {
      grid.scrollTop += 40
      await nextFrame()
      frames++
    }
    return (frames * 1_000) / (performance.now() - start)
  }, scrollMs)

function print(opened: number, times: readonly number[], frames: number, slowed: number): void {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0)
  const rows = [
    ['first rows after a click on the type (ms)', opened.toFixed(0)],
    [`a jump to any place, median of ${jumps} (ms)`, at(0.5)],
    [`a jump to any place, p95 of ${jumps} (ms)`, at(0.95)],
    ['scrolling (frames/s)', frames.toFixed(0)],
    ['scrolling, processor slowed 4 times (frames/s)', slowed.toFixed(0)],
  ]
  const lines = rows.map(([name, value]) => `| ${name} | ${value} |`)
  process.stdout.write(
    `| ${records.toLocaleString('en')} records of ${fields} fields | |\n| --- | --- |\n${lines.join('\n')}\n`,
  )
}
