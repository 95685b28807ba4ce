import { type AddressInfo, createServer } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { launch } from '../../e2e/launch.ts'
import { startWeft, type Weft } from '../../e2e/weft.ts'
import { open } from './chromium.ts'
import { attacks } from './hostile.ts'
import { forwardTo, pageHtml, storeWidget, waitForEnd } from './hostile-page.ts'

// The complete Chromium opens a connection for a navigation before it checks whether the policy allows the navigation;
// the headless shell of the other tests does not. Code in a sandbox must not cause such a connection, because the host
// name could contain data.

let weft: Weft
let browser: Browser
const cleanups: (() => Promise<void>)[] = []

beforeAll(async () => {
  weft = await startWeft((cleanup) => cleanups.push(cleanup))
  await weft.kill()
  await weft.start(['--anonymous-writes', '--sandbox-owners', 'all'])
  browser = await launch()
})
afterAll(async () => {
  await browser.close()
  for (const cleanup of cleanups) await cleanup()
})

const withNetwork = attacks('http://canary', 'canary')
  .map(({ name, code = '' }, i) => ({ name, i, code }))
  .filter(({ code }) => code.includes('canary'))

test.each(withNetwork)('a widget with $name opens no connection', async ({ i }) => {
  const connections: string[] = []
  // Each test has its own port, because the browser would reuse a connection from another test.
  const canary = createServer((socket) => {
    connections.push('a connection')
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void canary.close())
  const { port } = canary.address() as AddressInfo
  const attack = attacks(`http://127.0.0.1:${port}`, `127.0.0.1:${port}`)[i]
  const paths = { '*': forwardTo(weft.url) }
  const { page } = await open('fixture-code.tsx', pageHtml, paths, async () => browser)
  const id = await storeWidget(weft.url, {
    name: 'hostile',
    html: '<p>mine</p>',
    after_render: `${attack?.code}\n; await new Promise((done) => setTimeout(done, 500)); this.notify('end')`,
  })
  await page.evaluate((id) => window.codeFixture.draw({ id }), id)
  await waitForEnd(page)
  expect(connections).toEqual([])
})
