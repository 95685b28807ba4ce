import { createServer } from 'node:http'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { build } from 'vite'

// Compares 200 stored widgets with plain React components that draw the same. Prints a Markdown table with the median
// of each kind. ROUNDS sets the number of rounds.
const rounds = Number(process.env.ROUNDS ?? 15)
const kinds = ['plain', 'static', 'trusted']

const script = await bundle()
const server = createServer(({ url }, response) => {
  const text = {
    '/script.js': script,
    '/hook.js': 'export default async () => benchFixture.hook()',
  }[url ?? '']
  response.setHeader('Content-Type', text === undefined ? 'text/html' : 'text/javascript')
  response.end(text ?? '<!doctype html><script src="/script.js" defer></script>')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${server.address().port}/`)
  await page.evaluate(() => window.benchFixture.ready())
  const times = new Map(kinds.map((kind) => [kind, []]))
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds)
      times.get(kind)?.push(await page.evaluate((kind) => window.benchFixture[kind](), kind))
  }
  const plain = median(times.get('plain') ?? [])
  print('| 200 widgets | median (ms) | relative to plain React |')
  print('| --- | --- | --- |')
  for (const [kind, all] of times) {
    const time = median(all)
    print(`| ${kind} | ${time.toFixed(1)} | ${(time / plain).toFixed(2)}x |`)
  }
} finally {
  await browser.close()
  server.close()
}

async function bundle() {
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      lib: {
        entry: join(import.meta.dirname, 'fixture.tsx'),
        formats: ['iife'],
        name: 'benchFixture',
      },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const [part] = output.flatMap((part) => part.output)
  if (part?.type !== 'chunk') throw new Error('nothing was built')
  return part.code
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
