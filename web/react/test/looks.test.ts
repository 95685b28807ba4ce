import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startWeft, type Weft } from '../../e2e/weft.ts'
import { open } from './chromium.ts'
import { forwardTo, storeWidget } from './hostile-page.ts'

// Tests of the looks of stored widgets that an operator may allow, on a real server: style attributes, and pictures,
// frames and fonts of listed hosts.

/** Starts a host of pictures, frames and fonts. Returns its address and the paths that were requested. */
async function startHost(): Promise<{ url: string; requested: Set<string> }> {
  const requested = new Set<string>()
  const server = createServer(({ url = '' }, response) => {
    requested.add(url)
    response.setHeader('Access-Control-Allow-Origin', '*')
    if (url.startsWith('/frame')) response.setHeader('Content-Type', 'text/html')
    response.end('a')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requested }
}

async function serve(...flags: string[]): Promise<Weft> {
  const weft = await startWeft()
  await weft.kill()
  await weft.start(['--anonymous-writes', ...flags])
  return weft
}

/** Shows a widget that uses two hosts, and returns its element. */
async function show(weft: Weft, listed: string, other: string) {
  const { page } = await open('fixture-code.tsx', '', { '*': forwardTo(weft.url) })
  const parts = (host: string, name: string) =>
    `<img src="${host}/${name}.png" alt="${name}"><iframe src="${host}/frame-${name}" title="${name}"></iframe>
     <p style="margin-left: 7px; background-image: url(${host}/style-${name}.png)">${name}</p>`
  const rule = (host: string, name: string) =>
    `.${name} { background-image: url(${host}/css-${name}.png) } @font-face { font-family: ${name}; src: url(${host}/font-${name}) } .${name} { font-family: ${name} }`
  const id = await storeWidget(weft.url, {
    name: 'Looks',
    html: `<div id="done">${parts(listed, 'listed')}${parts(other, 'other')}<b class="listed">a</b><b class="other">b</b></div>`,
    css: `${rule(listed, 'listed')} ${rule(other, 'other')}`,
  })
  await page.evaluate((id) => window.codeFixture.draw({ id }), id)
  const element = page.locator('#done')
  await element.waitFor()
  // Pictures of CSS are requested with the first frame that shows them.
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  )
  return element
}

test('style attributes are applied, and pictures and frames are shown from listed hosts only', async () => {
  const [listed, other] = [await startHost(), await startHost()]
  const weft = await serve('--widget-styles', '--widget-hosts', listed.url)
  const element = await show(weft, listed.url, other.url)
  const margins = await element
    .locator('p')
    .evaluateAll((all) => all.map((p) => getComputedStyle(p).marginLeft))
  expect(margins).toEqual(['7px', '7px'])
  const frames = ['/css-listed.png', '/frame-listed', '/listed.png', '/style-listed.png']
  await expect.poll(() => [...listed.requested].sort()).toEqual(frames)
  expect([...other.requested]).toEqual([])
  const frame = element.locator('iframe')
  expect(await frame.count()).toBe(1)
  expect(await frame.getAttribute('sandbox')).not.toContain('top-navigation')
})

test('without the flags no style attribute is kept, and nothing loads from another host', async () => {
  const [listed, other] = [await startHost(), await startHost()]
  const element = await show(await serve(), listed.url, other.url)
  expect(await element.locator('[style], iframe, [src]').count()).toBe(0)
  expect([...listed.requested, ...other.requested]).toEqual([])
})

test('a font of a listed host is loaded for a trusted widget only', async () => {
  const [listed, other] = [await startHost(), await startHost()]
  const { page } = await open('fixture-widget.ts')
  const face = ({ url }: { url: string }, name: string) =>
    `@font-face { font-family: ${name}; src: url(${url}/${name}) } .${name} { font-family: ${name} }`
  const widget = (id: number, trust: string) => ({
    id,
    name: 'w',
    trust,
    html: `<b class="${trust}">a</b><b class="foreign">b</b>`,
    css: `${face(listed, trust)} ${face(other, 'foreign')}`,
    looks: { styles: false, hosts: [listed.url] },
  })
  for (const json of [widget(1, 'static'), widget(2, 'trusted')])
    await page.evaluate((json) => window.widgetFixture.show(json), json)
  await expect.poll(() => [...listed.requested]).toEqual(['/trusted'])
  expect([...other.requested]).toEqual([])
})
