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

test('draws a graph under the content security policy of the site', async () => {
  const { page, errors } = await open('?nodes=30')
  await waitForDrawing(page)
  await page.getByText('All 30 concepts').waitFor()
  await expect.poll(() => countColors(page)).toBe(3)
  expect(errors).toEqual([])
})

test('navigates along connections and back by keyboard while the graph grows', async () => {
  const { page } = await open('?nodes=4')
  await page.getByText('All 4 concepts').click()
  await page.getByRole('button', { name: 'concept 1' }).focus()
  await page.keyboard.press('Enter')
  await waitForSelected(page, 'concept 1')
  await page.getByText('All 7 concepts').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const [, second = ''] = await page.getByRole('listitem').allInnerTexts()
  await page.keyboard.press('ArrowRight')
  await waitForSelected(page, /(concept|child) \d+/.exec(second)?.[0] ?? 'a second line')
  await page.keyboard.press('ArrowLeft')
  await waitForSelected(page, 'concept 1')
})

test('keeps existing concepts in place when concepts are added', async () => {
  const { page } = await open('?nodes=12')
  await waitForDrawing(page)
  await waitForLayout(page)
  const before = await opaquePixels(page)
  await page.getByText('All 12 concepts').click()
  await page.getByRole('button', { name: 'concept 2 Values' }).click()
  await page.getByText('All 15 concepts').waitFor()
  await waitForLayout(page)
  const after = new Set(await opaquePixels(page))
  expect(after.size).toBeGreaterThan(before.length)
  expect(before.filter((offset) => after.has(offset)).length).toBeGreaterThan(0.98 * before.length)
})

test('connects two concepts by dragging one onto the other', async () => {
  const { page } = await open('?nodes=2&connect')
  await waitForDrawing(page)
  await waitForLayout(page)
  const box = await page.locator('.weft-graph-stage').boundingBox()
  const centers = await nodeCenters(page)
  const [from, to] = centers
  if (!box || !from || !to) throw new Error(`found ${centers.length} nodes instead of 2`)
  await page.mouse.move(box.x + from.x, box.y + from.y)
  await page.mouse.down()
  await page.mouse.move(box.x + (from.x + to.x) / 2, box.y + (from.y + to.y) / 2, { steps: 5 })
  await page.mouse.move(box.x + to.x, box.y + to.y, { steps: 5 })
  await page.mouse.up()
  await expect.poll(() => page.locator('output').textContent()).toMatch(/^(1 to 2|2 to 1)$/)
})

test.each(['light', 'dark'] as const)(
  'has no accessibility violations in %s mode',
  async (colorScheme) => {
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
  },
)

test('shows the graph as text in a browser without WebGL', async () => {
  const { page } = await open('?nodes=30', {}, () => {
    const real = HTMLCanvasElement.prototype.getContext
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string) {
      return kind.startsWith('webgl') ? null : Reflect.apply(real, this, [kind])
    } as never
  })
  await page.getByText('This browser does not support WebGL').waitFor()
  await page.getByText('All 30 concepts').click()
  await page.getByRole('button', { name: 'concept 3 ' }).first().click()
  await waitForSelected(page, 'concept 3')
})

test('draws ten thousand concepts, and search finds one of them', async () => {
  const { page } = await open('?nodes=10000')
  await waitForDrawing(page)
  await page.getByText('All 10000 concepts').click()
  await page.getByRole('searchbox', { name: 'Find in this graph' }).fill('concept 9999')
  await page.getByRole('button', { name: 'concept 9999' }).click()
  await waitForSelected(page, 'concept 9999')
})

test('draws ten thousand concepts and their connections in one pass', async () => {
  const { page } = await open('?nodes=10000', {}, () => {
    const maximum = Object.assign(window, { vertices: 0, instances: 0 })
    const { drawArrays, drawArraysInstanced } = WebGL2RenderingContext.prototype
    WebGL2RenderingContext.prototype.drawArrays = function (...args) {
      maximum.vertices = Math.max(maximum.vertices, args[2])
      drawArrays.apply(this, args)
    }
    WebGL2RenderingContext.prototype.drawArraysInstanced = function (...args) {
      maximum.instances = Math.max(maximum.instances, args[3])
      drawArraysInstanced.apply(this, args)
    }
  })
  await expect.poll(() => page.evaluate('vertices')).toBeGreaterThanOrEqual(20_000)
  expect(await page.evaluate('instances')).toBeLessThan(100)
})

const waitForSelected = (page: Page, name: string) =>
  page.locator('.weft-graph-here').getByText(name, { exact: true }).waitFor()

/** Waits until WebGL has drawn something. */
async function waitForDrawing(page: Page): Promise<void> {
  await expect.poll(() => countColors(page)).toBeGreaterThan(1)
}

/** Waits until the layout has finished: two consecutive screenshots are equal. */
async function waitForLayout(page: Page): Promise<void> {
  let last: Buffer | undefined
  await expect
    .poll(
      async () => {
        const before = last
        last = await page.locator('.weft-graph-stage').screenshot()
        return before?.equals(last)
      },
      { interval: 400 },
    )
    .toBe(true)
}

/** Returns the number of opaque colours on the node layer. */
const countColors = (page: Page): Promise<number> =>
  pixels(page, (data) => {
    const colors = new Set<string>()
    for (let offset = 0; offset < data.length; offset += 4)
      if (data[offset + 3] === 255)
        colors.add(`${data[offset]} ${data[offset + 1]} ${data[offset + 2]}`)
    return colors.size
  })

/** Returns the offsets of the opaque pixels of the node layer. */
const opaquePixels = (page: Page): Promise<number[]> =>
  pixels(page, (data) => {
    const opaque: number[] = []
    for (let offset = 3; offset < data.length; offset += 4)
      if (data[offset] === 255) opaque.push(offset)
    return opaque
  })

/** Returns the centres of the discs on the node layer, in pixels. The discs must differ in colour. */
const nodeCenters = (page: Page): Promise<{ x: number; y: number }[]> =>
  pixels(page, (data, width) => {
    const discs = new Map<string, { x: number; y: number; n: number }>()
    for (let offset = 0; offset < data.length; offset += 4) {
      if (data[offset + 3] !== 255) continue
      const key = `${data[offset]} ${data[offset + 1]} ${data[offset + 2]}`
      const disc = discs.get(key) ?? { x: 0, y: 0, n: 0 }
      disc.x += (offset / 4) % width
      disc.y += Math.floor(offset / 4 / width)
      disc.n++
      discs.set(key, disc)
    }
    const large = [...discs.values()].filter(({ n }) => n > 20)
    return large.map(({ x, y, n }) => ({ x: x / n, y: y / n }))
  })

/** Reads the node layer right after a drawing, because the browser clears it later. */
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

/** Opens the fixture with the content security policy of stored pages. `initScript` runs before the page's scripts. */
async function open(search: string, options: BrowserContextOptions = {}, initScript?: () => void) {
  const files = await bundle()
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://server').pathname
    const content = files.get(path === '/' ? '/fixture-graph.html' : path)
    if (content === undefined) return void response.writeHead(404).end()
    const kind = path.endsWith('.js')
      ? 'text/javascript'
      : path.endsWith('.css')
        ? 'text/css'
        : 'text/html'
    response
      .writeHead(200, { 'Content-Type': kind, 'Content-Security-Policy': contentSecurityPolicy })
      .end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const page = await (
    await profile({ viewport: { width: 1000, height: 900 }, ...options })
  ).newPage()
  if (initScript) await page.addInitScript(initScript)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('404')) errors.push(message.text())
  })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${search}`)
  return { page, errors }
}

const contentSecurityPolicy =
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
      rolldownOptions: { input: join(import.meta.dirname, 'fixture-graph.html') },
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
