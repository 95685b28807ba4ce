import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

test('a graph is drawn, under the policy of the site', async () => {
  const { page, complaints } = await open('?nodes=30')
  await drawn(page)
  await page.getByText('All 30 concepts').waitFor()
  expect(await colours(page)).toBe(3)
  expect(complaints).toEqual([])
})

test('by keyboard alone one walks along the connections and back, and more comes on the way', async () => {
  const { page } = await open('?nodes=4')
  await page.getByText('All 4 concepts').click()
  await page.getByRole('button', { name: 'concept 1' }).focus()
  await page.keyboard.press('Enter')
  await here(page, 'concept 1')
  await page.getByText('All 7 concepts').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const [, second = ''] = await page.getByRole('listitem').allInnerTexts()
  await page.keyboard.press('ArrowRight')
  await here(page, /(concept|child) \d+/.exec(second)?.[0] ?? 'a second line')
  await page.keyboard.press('ArrowLeft')
  await here(page, 'concept 1')
})

test('what comes moves nothing that was there', async () => {
  const { page } = await open('?nodes=12')
  await drawn(page)
  await still(page)
  const before = await inked(page)
  await page.getByText('All 12 concepts').click()
  await page.getByRole('button', { name: 'concept 2 Values' }).click()
  await page.getByText('All 15 concepts').waitFor()
  await still(page)
  const after = new Set(await inked(page))
  expect(after.size).toBeGreaterThan(before.length)
  expect(before.filter((at) => after.has(at)).length).toBeGreaterThan(0.98 * before.length)
})

test('a drag from one concept to another connects them', async () => {
  const { page } = await open('?nodes=2&connect')
  await drawn(page)
  await still(page)
  const box = await page.locator('.weft-graph-stage').boundingBox()
  const spots = await nodesSeen(page)
  const [from, to] = spots
  if (!box || !from || !to) throw new Error(`saw ${spots.length} nodes`)
  await page.mouse.move(box.x + from.x, box.y + from.y)
  await page.mouse.down()
  await page.mouse.move(box.x + (from.x + to.x) / 2, box.y + (from.y + to.y) / 2, { steps: 5 })
  await page.mouse.move(box.x + to.x, box.y + to.y, { steps: 5 })
  await page.mouse.up()
  await expect.poll(() => page.locator('output').textContent()).toMatch(/^(1 to 2|2 to 1)$/)
})

test.each(['light', 'dark'] as const)('it is accessible in %s', async (colorScheme) => {
  const { page } = await open('?nodes=30', { colorScheme, viewport: { width: 390, height: 800 } })
  await page.getByText('All 30 concepts').click()
  await page.getByRole('button', { name: 'concept 1 Types' }).click()
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${axe}; axe.run(document).then((found) => JSON.stringify(found.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')))))`,
    awaitPromise: true,
  })
  expect(JSON.parse(result.value as string)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
})

test('a browser without WebGL gets the graph in words', async () => {
  const { page } = await open('?nodes=30', {}, () => {
    const real = HTMLCanvasElement.prototype.getContext
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string) {
      return kind.startsWith('webgl') ? null : Reflect.apply(real, this, [kind])
    } as never
  })
  await page.getByText('This browser draws no WebGL').waitFor()
  await page.getByText('All 30 concepts').click()
  await page.getByRole('button', { name: 'concept 3 ' }).first().click()
  await here(page, 'concept 3')
})

test('ten thousand concepts are drawn and can be chosen', async () => {
  const { page } = await open('?nodes=10000')
  await drawn(page)
  await page.getByText('All 10000 concepts').click()
  await page.getByRole('searchbox', { name: 'Find in this graph' }).fill('concept 9999')
  await page.getByRole('button', { name: 'concept 9999' }).click()
  await here(page, 'concept 9999')
})

test('ten thousand concepts and their connections are drawn in one go, not one by one', async () => {
  const { page } = await open('?nodes=10000', {}, () => {
    const seen = Object.assign(window, { drawn: 0, apart: 0 })
    const { drawArrays, drawArraysInstanced } = WebGL2RenderingContext.prototype
    WebGL2RenderingContext.prototype.drawArrays = function (...of) {
      seen.drawn = Math.max(seen.drawn, of[2])
      drawArrays.apply(this, of)
    }
    WebGL2RenderingContext.prototype.drawArraysInstanced = function (...of) {
      seen.apart = Math.max(seen.apart, of[3])
      drawArraysInstanced.apply(this, of)
    }
  })
  await expect.poll(() => page.evaluate('drawn')).toBeGreaterThanOrEqual(20_000)
  expect(await page.evaluate('apart')).toBeLessThan(100)
})

const here = (page: Page, name: string) =>
  page.locator('.weft-graph-here').getByText(name, { exact: true }).waitFor()

/** Waits until WebGL has drawn something. */
async function drawn(page: Page): Promise<void> {
  await expect.poll(() => colours(page), { timeout: 30_000 }).toBeGreaterThan(1)
}

/** Waits until the forces have come to rest: two pictures in a row are the same. */
async function still(page: Page): Promise<void> {
  let last: Buffer | undefined
  await expect
    .poll(
      async () => {
        const before = last
        last = await page.locator('.weft-graph-stage').screenshot()
        return before?.equals(last)
      },
      { interval: 400, timeout: 30_000 },
    )
    .toBe(true)
}

/** How many colours there are in the drawing of the nodes, roughly. */
const colours = (page: Page): Promise<number> =>
  pixels(page, (data) => {
    const seen = new Set<string>()
    for (let at = 0; at < data.length; at += 4)
      if (data[at + 3] === 255) seen.add(`${data[at]} ${data[at + 1]} ${data[at + 2]}`)
    return seen.size
  })

/** Where there is anything of a node. */
const inked = (page: Page): Promise<number[]> =>
  pixels(page, (data) => {
    const opaque: number[] = []
    for (let at = 3; at < data.length; at += 4) if (data[at] === 255) opaque.push(at)
    return opaque
  })

/** The middles of the discs of a drawing of two, in the pixels of the page. */
const nodesSeen = (page: Page): Promise<{ x: number; y: number }[]> =>
  pixels(page, (data, width) => {
    const discs = new Map<string, { x: number; y: number; n: number }>()
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] !== 255) continue
      const key = `${data[at]} ${data[at + 1]} ${data[at + 2]}`
      const disc = discs.get(key) ?? { x: 0, y: 0, n: 0 }
      disc.x += (at / 4) % width
      disc.y += Math.floor(at / 4 / width)
      disc.n++
      discs.set(key, disc)
    }
    const large = [...discs.values()].filter(({ n }) => n > 20)
    return large.map(({ x, y, n }) => ({ x: x / n, y: y / n }))
  })

/** Reads the layer that the nodes are drawn on, right after it was drawn: later it is empty. */
function pixels<T>(page: Page, read: (data: Uint8ClampedArray, width: number) => T): Promise<T> {
  return page.evaluate(`new Promise((resolve) => {
    const read = ${read.toString()}
    const canvas = document.querySelector('canvas.sigma-nodes')
    if (!canvas) return resolve(read(new Uint8ClampedArray(), 0))
    window.dispatchEvent(new Event('resize'))
    requestAnimationFrame(() => {
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d')
      copy.drawImage(canvas, 0, 0)
      resolve(read(copy.getImageData(0, 0, canvas.width, canvas.height).data, canvas.width))
    })
  })`) as Promise<T>
}

/** Opens the built page under the policy that stored pages have. */
async function open(search: string, options: BrowserContextOptions = {}, before?: () => void) {
  const files = await bundle()
  const server = createServer((request, answer) => {
    const path = new URL(request.url ?? '/', 'http://server').pathname
    const content = files.get(path === '/' ? '/in-graph.html' : path)
    if (content === undefined) return void answer.writeHead(404).end()
    const kind = path.endsWith('.js')
      ? 'text/javascript'
      : path.endsWith('.css')
        ? 'text/css'
        : 'text/html'
    answer.writeHead(200, { 'Content-Type': kind, 'Content-Security-Policy': policy }).end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const page = await (
    await profile({ viewport: { width: 1000, height: 900 }, ...options })
  ).newPage()
  if (before) await page.addInitScript(before)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('404'))
      complaints.push(message.text())
  })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${search}`)
  return { page, complaints }
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'"

function bundle(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  built ??= build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: join(import.meta.dirname, 'in-graph.html') },
    },
  }).then((output) => {
    const files = (output as Rolldown.RolldownOutput).output
    return new Map(
      files.map((file) => [`/${file.fileName}`, 'code' in file ? file.code : file.source]),
    )
  })
  return built
}

let built: Promise<ReadonlyMap<string, string | Uint8Array>> | undefined
