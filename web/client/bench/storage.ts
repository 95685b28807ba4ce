import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { build, preview } from 'vite'
import { launch } from '../../e2e/launch.ts'
import type {} from './disk/main.ts'

/** What the disk costs in Chromium, in ms: medians, each round in a page of its own, as applications are built. */
const rounds = 9
const page = join(process.cwd(), 'client/bench/disk')
const out = join(import.meta.dirname, 'disk')
await build({
  root: page,
  configFile: false,
  logLevel: 'error',
  build: { outDir: out, target: 'es2023', emptyOutDir: true },
})
const pages = await preview({
  root: page,
  configFile: false,
  logLevel: 'error',
  build: { outDir: out },
  preview: { host: '127.0.0.1', port: 0 },
})
const address = pages.resolvedUrls?.local[0] ?? ''
const browser = await launch()
try {
  await starts('as 1,000 records came at a time', (page) => page.evaluate(() => window.fill()))
  await starts('written anew by the page', (page) => page.evaluate(() => window.fillAtOnce()))
  await writes()
} finally {
  await browser.close()
  await pages.close()
}

/** From opening a client to the answer of its first query, of 100,000 concepts and 90,000 connections. */
async function starts(how: string, fill: (page: Page) => Promise<unknown>): Promise<void> {
  const context = await browser.newContext()
  await visit(fill)
  const times: Record<string, number>[] = []
  for (let round = 0; round < rounds; round++)
    times.push(await visit((page) => page.evaluate(() => window.start())))
  await context.close()
  print(`start with 190,000 records, ${how}`, times)

  async function visit<T>(work: (page: Page) => Promise<T>): Promise<T> {
    const page = await context.newPage()
    await page.goto(address)
    await page.waitForFunction(() => window.start !== undefined)
    const done = await work(page)
    await page.close()
    return done
  }
}

/** 10,000 creations in one task, until all are on disk. */
async function writes(): Promise<void> {
  const times: Record<string, number>[] = []
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(address)
    await page.waitForFunction(() => window.start !== undefined)
    times.push(await page.evaluate(() => window.write()))
    await context.close()
  }
  print('write 10,000 records', times)
}

function print(name: string, times: readonly Record<string, number>[]): void {
  process.stdout.write(`${name}\n`)
  for (const part of Object.keys(times[0] ?? {})) {
    const sorted = times.map((time) => time[part] ?? 0).sort((a, b) => a - b)
    const [least, median, most] = [0, sorted.length >> 1, sorted.length - 1].map((i) =>
      Math.round(sorted[i] ?? 0),
    )
    process.stdout.write(`  ${part.padEnd(28)} ${median} ms (${least} to ${most})\n`)
  }
}
