import { createSocket } from 'node:dgram'
import { type AddressInfo, createServer } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWeft, type Weft } from '../../e2e/weft.ts'
import { open } from './chromium.ts'
import { attacks } from './hostile.ts'
import { forwardTo, pageHtml, storeWidget, waitForEnd } from './hostile-page.ts'
import { pagePolicy } from './stored.ts'

// A guest stores hostile widgets on a real server, in three modes: as static widgets (`static`), as static widgets with
// all looks that an operator may allow (style attributes; pictures, frames and fonts of listed hosts) but without the
// Content-Security-Policy of the page (`looks`), and with code in the sandbox
// (`sandbox`). None of them may change the page, send anything to another server, or read secrets of the page.

/** Connections and data that the canary servers received. */
const received: string[] = []
const canary = createServer((socket) => {
  received.push('a connection')
  socket.on('data', (data) => received.push(data.toString('latin1').slice(0, 200)))
  socket.on('error', () => {})
})
const udp = createSocket('udp4', (data) => received.push(`${data.length} bytes of UDP`))

const placeholderAddresses = { tcp: 'http://canary', udp: 'canary' }
beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
  return () => {
    canary.close()
    udp.close()
  }
})

describe.each(['static', 'looks', 'sandbox'] as const)('as %s', (mode) => {
  const trust = mode === 'sandbox' ? 'sandbox' : 'static'
  let weft: Weft
  const cleanups: (() => Promise<void>)[] = []
  beforeAll(async () => {
    weft = await startWeft((cleanup) => cleanups.push(cleanup))
    if (mode === 'static') return
    await weft.kill()
    await weft.start(['--anonymous-writes', ...flagsOf[mode]])
  })
  afterAll(async () => {
    for (const cleanup of cleanups) await cleanup()
  })

  test.each(
    attacks(placeholderAddresses.tcp, placeholderAddresses.udp).map(({ name }, i) => ({ name, i })),
  )('a widget with $name does no harm', async ({ i }) => {
    const { port } = canary.address() as AddressInfo
    const attack = attacks(`http://127.0.0.1:${port}`, `127.0.0.1:${udp.address().port}`)[i]
    const { page, requests } = await open(
      'fixture-code.tsx',
      mode === 'looks' ? pageHtml.replace(pagePolicy, '') : pageHtml,
      {
        '*': forwardTo(weft.url),
      },
    )
    const start = page.url()
    received.length = 0
    await page.evaluate(plantSecrets)
    const { html = '', css = '', code = '' } = attack ?? {}
    const id = await storeWidget(weft.url, {
      name: 'hostile',
      html: `<p id="mine">mine</p>${html}`,
      css,
      after_render: `${code}\n; await new Promise((done) => setTimeout(done, 200)); this.notify('end')`,
    })
    await page.evaluate((id) => window.codeFixture.draw({ id }), id)
    if (trust === 'sandbox') await waitForEnd(page)
    else await clickAll(page)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))

    expect(received).toEqual([])
    expect(page.url().replace(/#.*/, '')).toBe(start)
    expect(page.context().pages()).toHaveLength(1)
    const state = await page.evaluate(inspect)
    expect(state).toEqual(unharmed)
    const { origin } = new URL(start)
    const toOthers = requests.filter(
      (url) => /^https?:/.test(url) && new URL(url).origin !== origin,
    )
    // The browser lists a blocked navigation of the frame as a request, so only static widgets are checked.
    if (trust === 'static') expect(toOthers).toEqual([])
    const notices = JSON.stringify(await page.evaluate(() => window.codeFixture.notices))
    // The code of a successful attack reports one of these words; see `leak` in hostile.ts.
    expect(notices).not.toMatch(/secret|outside|connected|full"/)
    if (trust === 'static') expect(notices).toBe('[]')
  })
})

/** The canary servers do not have the address `listed.test`. */
const flagsOf = {
  looks: ['--widget-styles', '--widget-hosts', 'listed.test'],
  sandbox: ['--sandbox-owners', 'all'],
}

/** Runs in the page before the widget: plants secrets and counts calls of `hit`. */
function plantSecrets(): void {
  Object.assign(window, { hits: 0, hit: () => Object.assign(window, { hits: 1 }) })
  // biome-ignore lint/suspicious/noDocumentCookie: works in every browser
  document.cookie = 'session=secret'
  localStorage.setItem('token', 'secret')
  // Prevents navigation to another page of this site, which is allowed but would end the test.
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof HTMLElement && target.closest('a')
    if (link && link.origin === location.origin) link.removeAttribute('href')
  })
  document.addEventListener('submit', (event) => {
    const { action } = event.target as HTMLFormElement
    if (action.startsWith(location.origin)) event.preventDefault()
  })
}

/** Runs in the page after the widget. Returns everything that the widget must not change. */
function inspect() {
  const outside = document.getElementById('outside')
  const box = outside?.getBoundingClientRect()
  return {
    hits: (window as unknown as { hits: number }).hits,
    cookie: document.cookie,
    token: localStorage.getItem('token'),
    outside: outside?.outerHTML,
    color: outside && getComputedStyle(outside).color,
    app: document.getElementById('app')?.firstElementChild === outside,
    onTop: box && document.elementFromPoint(box.x + 5, box.y + 5) === outside,
    status: document.getElementById('weft-status')?.textContent,
    polluted: 'polluted' in {},
    fullscreen: document.fullscreenElement !== null,
    clobbered: typeof document.querySelector + typeof document.getElementById,
  }
}

const unharmed: ReturnType<typeof inspect> = {
  hits: 0,
  cookie: 'session=secret',
  token: 'secret',
  outside: '<p id="outside">outside</p>',
  color: 'rgb(0, 0, 0)',
  app: true,
  onTop: true,
  status: '',
  polluted: false,
  fullscreen: false,
  clobbered: 'functionfunction',
}

/** Clicks every element with the id `press`. */
async function clickAll(page: Page): Promise<void> {
  await page.locator('[data-widget]').waitFor({ state: 'attached' })
  await page.evaluate(() => {
    for (const element of document.querySelectorAll<HTMLElement>('[data-widget] #press'))
      element.click()
  })
}
