import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launch } from '../e2e/launch.ts'
import { type Program, startProgram } from '../e2e/program.ts'

/*
 * Measures the Graph room of the console in Chromium: opening a hub, and frames while a large drawing is moved. Prints
 * Markdown. Without a graphics processor, Chromium draws WebGL in software.
 */

const hubLinks = 20_000
const [nodeCount, linkCount] = [10_000, 20_000]
const rounds = 9
const { WEFT: binary = join(import.meta.dirname, '../../bin/weft') } = process.env
const user = { email: 'ann@example.org', password: 'correct horse' }

export async function main(): Promise<void> {
  const weft = await startProgram(binary)
  const browser = await launch()
  try {
    const token = await addAdmin(weft)
    const { hub, small } = await addHub(weft.url, token)
    await addLargeDrawing(weft.url, token)
    const page = await (
      await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ).newPage()
    await signIn(page, `${weft.url}/console/graph/${small}`)
    const times = await measureOpening(page, hub, small)
    const frames = await measureFrames(page, `${weft.url}/console/graph/d/Large`)
    process.stdout.write(`${report(times, frames)}\n`)
  } finally {
    await browser.close()
    await weft.end()
  }
}

async function addAdmin(weft: Program): Promise<string> {
  await weft.kill()
  const add = ['user', 'add', user.email, '--admin', '--password-stdin', '--data', weft.data]
  execFileSync(binary, add, { input: user.password })
  await weft.start()
  const response = await post(weft.url, '/api/auth/login', '', user)
  return (response as { data: { token: string } }).data.token
}

/** Number of requests so far. Each request has its own local ids. */
let requests = 0

async function post(url: string, path: string, token: string, body: unknown): Promise<unknown> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${token}`,
      Randomizer: String(++requests),
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Records and links for one request. */
class Batch {
  readonly concepts: object[] = []
  readonly connections: object[] = []
  #last = 0

  record(type: string, fields: Readonly<Record<string, string>>): number {
    const id = --this.#last
    this.concepts.push({ id, categoryId: 4, typeCharacter: type, isComposition: true })
    for (const [field, text] of Object.entries(fields)) {
      const value = --this.#last
      this.concepts.push({
        id: value,
        categoryId: 4,
        typeCharacter: `the_${field}`,
        characterValue: text,
      })
      this.connections.push({
        id: --this.#last,
        ofTheConceptId: id,
        toTheConceptId: value,
        typeId: id,
      })
    }
    return id
  }

  link(from: number, type: string, to: number): void {
    this.connections.push({
      id: --this.#last,
      ofTheConceptId: from,
      toTheConceptId: to,
      typeCharacter: type,
    })
  }

  async send(url: string, token: string): Promise<(local: number) => number> {
    const { concepts, connections } = this
    const sent = await post(url, '/api/v1/local-concepts', token, { concepts, connections })
    const created = (sent as { concepts: { id: number; ghostId: number }[] }).concepts
    const ids = new Map(created.map(({ id, ghostId }) => [ghostId, id]))
    return (local) => ids.get(local) ?? 0
  }
}

/** Adds a product that many order lines refer to, and a product without links. */
async function addHub(url: string, token: string) {
  const products = new Batch()
  const [pen, ink] = ['Pen', 'Ink'].map((title) => products.record('the_product', { title }))
  const real = await products.send(url, token)
  const [hub, small] = [real(pen ?? 0), real(ink ?? 0)]
  for (let i = 0; i < hubLinks; i += 1_000) {
    const lines = new Batch()
    for (let n = i; n < i + 1_000; n++)
      lines.link(lines.record('the_line', { quantity: `quantity ${n}` }), 'the_line_product', hub)
    await lines.send(url, token)
  }
  return { hub, small }
}

/** Adds records in a grid with links between neighbors, and the saved drawing of all of them. */
async function addLargeDrawing(url: string, token: string): Promise<void> {
  const ids: number[] = []
  for (let i = 0; i < nodeCount; i += 1_000) {
    const batch = new Batch()
    const local = Array.from({ length: 1_000 }, (_, n) =>
      batch.record('the_place', { name: `place ${i + n}` }),
    )
    const real = await batch.send(url, token)
    ids.push(...local.map(real))
  }
  for (let i = 0; i < linkCount; i += 2_000) {
    const batch = new Batch()
    for (let n = i; n < i + 2_000; n++)
      batch.link(
        ids[n % nodeCount] ?? 0,
        'the_place_near',
        ids[(n * 7 + 1 + Math.floor(n / nodeCount)) % nodeCount] ?? 0,
      )
    await batch.send(url, token)
  }
  const nodes = ids.map((id, i) => [id, (i % 100) * 10, Math.floor(i / 100) * 10])
  const layout = JSON.stringify({ nodes, pinned: [], hidden: [], hiddenTypes: [] })
  const drawing = new Batch()
  drawing.record('the_console_drawing', { name: 'Large', layout })
  await drawing.send(url, token)
}

async function signIn(page: Page, url: string): Promise<void> {
  page.setDefaultTimeout(120_000)
  await page.goto(url)
  await page.getByLabel('E-mail').fill(user.email)
  await page.getByLabel('Password', { exact: true }).fill(user.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Ink' }).waitFor()
}

/** Returns the milliseconds from the change of the URL to the frame that shows the counts and the drawing. */
async function measureOpening(page: Page, hub: number, small: number): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < rounds; i++) {
    times.push(
      await page.evaluate(openAndWait, { path: `/console/graph/${hub}`, text: '50 of 20,000' }),
    )
    await page.evaluate(openAndWait, { path: `/console/graph/${small}`, text: 'Ink' })
    await page.waitForTimeout(500)
  }
  return times
}

/** Runs in the page. */
function openAndWait({ path, text }: { path: string; text: string }): Promise<number> {
  const start = performance.now()
  history.pushState(null, '', path)
  window.dispatchEvent(new PopStateEvent('popstate'))
  return new Promise((resolve) => {
    const check = () => {
      const panel = document.querySelector('.graph-panel')?.textContent ?? ''
      if (panel.includes(text)) requestAnimationFrame(() => resolve(performance.now() - start))
      else requestAnimationFrame(check)
    }
    check()
  })
}

/** Moves a large drawing for three seconds. Returns the frames per second, and the name of the renderer. */
async function measureFrames(page: Page, url: string) {
  await page.goto(url)
  await page
    .getByText(/^10,000 nodes, /)
    .first()
    .waitFor()
  await page.waitForTimeout(4_000)
  const renderer = await page.evaluate(() => {
    const context = document.createElement('canvas').getContext('webgl2')
    const info = context?.getExtension('WEBGL_debug_renderer_info')
    return String(info ? context?.getParameter(info.UNMASKED_RENDERER_WEBGL) : 'unknown')
  })
  await page.mouse.move(600, 300)
  await page.mouse.down()
  const counted = page.evaluate(countFrames)
  const end = Date.now() + 3_000
  for (let i = 0; Date.now() < end; i++) await page.mouse.move(600 + (i % 200), 300 + (i % 90))
  await page.mouse.up()
  return { framesPerSecond: await counted, renderer }
}

/** Runs in the page. */
function countFrames(): Promise<number> {
  const start = performance.now()
  let frames = 0
  return new Promise((resolve) => {
    const count = () => {
      frames++
      const elapsed = performance.now() - start
      if (elapsed > 2_500) resolve((1_000 * frames) / elapsed)
      else requestAnimationFrame(count)
    }
    requestAnimationFrame(count)
  })
}

function report(
  times: readonly number[],
  frames: { framesPerSecond: number; renderer: string },
): string {
  const sorted = times.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  return [
    '| | measured |',
    '|---|---|',
    `| a hub of 20,000 links opens, median of ${rounds} | ${median.toFixed(0)} ms |`,
    `| the slowest of them | ${(sorted.at(-1) ?? 0).toFixed(0)} ms |`,
    `| frames per second while 10,000 nodes and 20,000 links are moved | ${frames.framesPerSecond.toFixed(0)} |`,
    `| renderer | ${frames.renderer} |`,
  ].join('\n')
}
