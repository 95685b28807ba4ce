import type { Browser } from 'playwright-core'
import { launch } from '../e2e/launch.ts'
import { measureFirstVisit, type Visit } from './first-visit.ts'
import { measureNavigations } from './navigation.ts'
import { serve } from './serve.ts'

/*
 * Measures the time and the bytes that the public site costs a visitor, and prints Markdown. PAGES=/about,/contact
 * limits the measurement to these pages; ROUNDS=5 changes the number of rounds.
 */
const rounds = Number(process.env.ROUNDS ?? 3)
const chosenPages = process.env.PAGES?.split(',')

export async function main(): Promise<number> {
  const weft = await serve()
  const browser = await launch()
  try {
    const pages = chosenPages ?? (await listPages(weft.url))
    printVisits(await visitAll(browser, weft.url, pages))
    await printNavigation(browser, weft.url, pages)
  } finally {
    await browser.close()
    await weft.end()
  }
  return 0
}

async function listPages(url: string): Promise<string[]> {
  const sitemap = await (await fetch(`${url}/sitemap.xml`)).text()
  const paths = Array.from(sitemap.matchAll(/<loc>([^<]+)<\/loc>/g), ([, loc]) => {
    return new URL(loc ?? '').pathname
  })
  if (paths.length === 0) throw new Error(`${url}/sitemap.xml lists no pages`)
  return paths
}

async function visitAll(
  browser: Browser,
  url: string,
  paths: string[],
): Promise<Map<string, Visit[]>> {
  const visits = new Map<string, Visit[]>(paths.map((path) => [path, []]))
  for (let round = 0; round < rounds; round++) {
    for (const path of paths) visits.get(path)?.push(await measureFirstVisit(browser, url, path))
  }
  return visits
}

function printVisits(visits: ReadonlyMap<string, readonly Visit[]>): void {
  print(
    '| first visit | largest paint (ms) | layout shift | HTML (KB) | scripts (KB) | scripts before the load event (KB) | all (KB) |',
  )
  print('| --- | --- | --- | --- | --- | --- | --- |')
  for (const [path, all] of visits) {
    const medianOf = (pick: (visit: Visit) => number) => median(all.map(pick))
    const cells = [
      medianOf((v) => v.largestPaint).toFixed(0),
      medianOf((v) => v.shift).toFixed(3),
      ...[
        medianOf((v) => v.html),
        medianOf((v) => v.scripts),
        medianOf((v) => v.scriptsAtOnce),
        medianOf((v) => v.all),
      ].map((bytes) => (bytes / 1000).toFixed(1)),
    ]
    print(`| ${path} | ${cells.join(' | ')} |`)
  }
}

async function printNavigation(browser: Browser, url: string, paths: string[]): Promise<void> {
  print('\n| from the idle home page | ms | with a CPU 4 times slower |')
  print('| --- | --- | --- |')
  const others = paths.filter((path) => path !== '/')
  const full: ReadonlyMap<string, number>[] = []
  const slow: ReadonlyMap<string, number>[] = []
  for (let round = 0; round < rounds; round++) {
    full.push(await measureNavigations(browser, url, others, 1))
    slow.push(await measureNavigations(browser, url, others, 4))
  }
  for (const path of others) {
    const medianOf = (rounds: typeof full) =>
      median(rounds.map((times) => times.get(path) ?? Number.NaN))
    print(`| ${path} | ${medianOf(full).toFixed(0)} | ${medianOf(slow).toFixed(0)} |`)
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
