import { createSocket } from 'node:dgram'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWeft, type Weft } from '../../e2e/weft.ts'
import { type Answer, open } from './chromium.ts'
import { attacks } from './hostile.ts'
import { pagePolicy } from './stored.ts'

// Widgets that mean harm, stored in the real server by a stranger. Whatever they try, as what is only shown
// and as code in a frame: the page stays whole, nobody hears of it, and nothing is given away.

/** Listens where nobody should speak. What it writes down is what it was told, not that somebody knocked. */
const heard: string[] = []
const canary = createServer((socket) => {
  socket.on('data', (data) => heard.push(data.toString('latin1').slice(0, 200)))
  socket.on('error', () => {})
})
const udp = createSocket('udp4', (data) => heard.push(`${data.length} bytes of UDP`))

const nowhere = { tcp: 'http://canary', udp: 'canary' }
beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
  return () => {
    canary.close()
    udp.close()
  }
})

describe.each(['static', 'sandbox'] as const)('as %s', (trust) => {
  let weft: Weft
  const ends: (() => Promise<void>)[] = []
  beforeAll(async () => {
    weft = await startWeft((end) => ends.push(end))
    if (trust === 'static') return
    await weft.kill()
    await weft.start(['--anonymous-writes', '--sandbox-owners', 'all'])
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  test.each(attacks(nowhere.tcp, nowhere.udp).map(({ name }, i) => ({ name, i })))(
    'a widget that tries $name does no harm',
    async ({ i }) => {
      const { port } = canary.address() as AddressInfo
      const attack = attacks(`http://127.0.0.1:${port}`, `127.0.0.1:${udp.address().port}`)[i]
      const { page, asked } = await open('in-code.tsx', surroundings, {
        '*': through(weft.url),
      })
      const start = page.url()
      heard.length = 0
      await page.evaluate(guard)
      const { html = '', css = '', code = '' } = attack ?? {}
      const id = await store(weft.url, {
        name: 'hostile',
        html: `<p id="mine">mine</p>${html}`,
        css,
        after_render: `${code}\n; await new Promise((done) => setTimeout(done, 200)); this.notify('the end')`,
      })
      await page.evaluate((id) => window.inCode.draw({ id }), id)
      if (trust === 'sandbox') await ended(page)
      else await pressed(page)
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))

      expect(heard).toEqual([])
      expect(page.url().replace(/#.*/, '')).toBe(start)
      expect(page.context().pages()).toHaveLength(1)
      const harm = await page.evaluate(inspect)
      expect(harm).toEqual(unharmed)
      const outside = asked.filter((address) => new URL(address).origin !== new URL(start).origin)
      // A frame that wants to leave is stopped before it has asked.
      expect(outside.filter((address) => /^https?:/.test(address) && trust === 'static')).toEqual(
        [],
      )
      const told = JSON.stringify(await page.evaluate(() => window.inCode.notices))
      expect(told).not.toMatch(/secret|outside|connected|full"/)
      if (trust === 'static') expect(told).toBe('[]')
    },
  )
})

/** Stores a widget as builders do: each field a public value of its own. Returns its id. */
async function store(url: string, fields: Record<string, string>): Promise<number> {
  const made = { userId: 999, accessId: 5, typeId: 0, entryTimeStamp: new Date().toISOString() }
  const concept = (id: number, typeCharacter: string, characterValue: string) => ({
    ...made,
    id,
    ghostId: id,
    categoryId: 4,
    characterValue,
    typeCharacter,
    isComposition: id === -1,
  })
  const values = Object.entries(fields).filter(([, value]) => value !== '')
  const answer = await fetch(`${url}/api/v1/local-concepts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Randomizer: String(++stored) },
    body: JSON.stringify({
      concepts: [
        concept(-1, 'the_widget', ''),
        ...values.map(([key, value], i) => concept(-2 - i, `the_${key}`, value)),
      ],
      connections: values.map(([key], i) => ({
        ...made,
        id: -1 - i,
        ghostId: -1 - i,
        ofTheConceptId: -1,
        toTheConceptId: -2 - i,
        orderId: 1000,
        typeCharacter: `the_widget_${key}`,
      })),
    }),
  })
  const { concepts } = (await answer.json()) as { concepts: { id: number; ghostId: number }[] }
  return concepts.find(({ ghostId }) => ghostId === -1)?.id ?? 0
}

let stored = 0

/** What the page holds dear. */
const surroundings = `${pagePolicy}<body><div id="app"><p id="outside">outside</p></div><p id="weft-status"></p>`

/** Runs in the page before the widget does. */
function guard(): void {
  Object.assign(window, { hits: 0, hit: () => Object.assign(window, { hits: 1 }) })
  // biome-ignore lint/suspicious/noDocumentCookie: what every browser has
  document.cookie = 'session=secret'
  localStorage.setItem('token', 'secret')
  // To lead to another page of this site is no harm, but would end the test.
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof HTMLElement && target.closest('a')
    if (link && link.origin === location.origin) link.removeAttribute('href')
  })
  document.addEventListener('submit', (event) => {
    const { action } = event.target as HTMLFormElement
    if (action.startsWith(location.origin)) event.preventDefault()
  })
}

/** Runs in the page afterwards. */
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

/** The widget has done what it could, or was taken out for it. */
const ended = (page: Page) =>
  page.waitForFunction(
    () => window.inCode.notices.includes('the end') || document.querySelector('[role=alert]'),
  )

/** Presses whatever there is to press. */
async function pressed(page: Page): Promise<void> {
  await page.locator('[data-widget]').waitFor({ state: 'attached' })
  await page.evaluate(() => {
    for (const element of document.querySelectorAll<HTMLElement>('[data-widget] #press'))
      element.click()
  })
}

/** Everything but the page itself is the real server's. */
const through =
  (weft: string): Answer =>
  (answer, { pathname, search }) => {
    const { method, headers } = answer.req
    const there = request(weft + pathname + search, { method, headers }, (back) => {
      answer.writeHead(back.statusCode ?? 502, back.headers)
      back.pipe(answer)
    })
    there.on('error', () => answer.destroy())
    answer.on('close', () => there.destroy())
    answer.req.pipe(there)
  }
