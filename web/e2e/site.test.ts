import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { profile } from './browser.ts'
import { startWeft, type Weft } from './weft.ts'
import { wireCutter } from './wire-cutter.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What the site looks like, for people to look at. Not kept in the repository. */
const pictures = join(import.meta.dirname, 'pictures')

/** A page of the site, as its file says, at one of its addresses. */
interface Listed {
  readonly path: string
  readonly title: string
  readonly description: string
  readonly status: number
  readonly guarded: boolean
}

const listed: readonly Listed[] = files().flatMap((file) =>
  [file.slug, ...(file.also ?? [])].map((path) => ({
    path,
    title: file.metaTitle,
    description: file.metaDescription,
    status: path === '/404' ? 404 : 200,
    guarded: file.guarded === true,
  })),
)
const pages = listed.map((page) => (page.path === '/404' ? { ...page, path: '/not/here' } : page))

let weft: Weft
let account = ''
const ends: (() => Promise<void>)[] = []
beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  weft = await startWeft((end) => ends.push(end))
  account = await someAccount()
})
afterAll(async () => {
  for (const end of ends) await end()
})

test('every route of the site has a page', () => {
  const paths = new Set(pages.map(({ path }) => path))
  expect(routes.filter((route) => !paths.has(route))).toEqual([])
})

test.each(pages)('$path can be read in the first response', async (page) => {
  const answer = await fetch(weft.url + page.path)
  const html = await answer.text()
  expect(answer.status).toBe(page.status)
  expect(html).toContain(`<title>${escaped(page.title)}</title>`)
  expect(html).toContain(`<meta name="description" content="${escaped(page.description)}"`)
  expect(html).toMatch(/<h1[^>]*>[^<]/)
  expect(html).toContain('data-widget=')
  expect(answer.headers.get('content-security-policy')).not.toMatch(/unsafe-(eval|inline)/)
})

test('no two pages have a title or a description in common', () => {
  const texts = files().flatMap((file) => [file.metaTitle, file.metaDescription])
  expect(texts.filter((text, i) => text === '' || texts.indexOf(text) !== i)).toEqual([])
})

const schemes = ['light', 'dark'] as const

/** WEFT_SWEEP=all looks at every page in both schemes at every width; else the schemes take turns. */
const { WEFT_SWEEP: sweep = '' } = process.env
const looks = (turn: number) => schemes.filter((_, i) => sweep === 'all' || (turn + i) % 2 === 0)

test.each([1440, 390, 768, 320].map((width, turn) => ({ width, turn })))(
  'at $width px every page is whole, quiet, at rest and accessible',
  { timeout: 900_000 },
  async ({ width, turn }) => {
    const context = await profile({
      viewport: { width, height: 900 },
      reducedMotion: 'reduce',
      serviceWorkers: 'block',
    })
    await context.addInitScript(noteShifts)
    const page = await context.newPage()
    await forgetful(page)
    const faults: Record<string, unknown> = {}
    for (const [i, listed] of pages.entries())
      for (const scheme of looks(turn + i)) {
        await page.emulateMedia({ colorScheme: scheme })
        const found = await faultsOf(page, listed)
        if (found.length > 0) faults[`${listed.path} ${scheme}`] = found
        const name = listed.path === '/' ? 'home' : listed.path.slice(1).replaceAll('/', '-')
        const picture = join(pictures, `${name}-${width}-${scheme}.png`)
        await page.screenshot({ path: picture, fullPage: true })
      }
    expect(faults).toEqual({})
  },
)

test('without scripts every page can be read, and links lead on', async () => {
  const page = await (await profile({ javaScriptEnabled: false })).newPage()
  for (const { path } of pages) {
    await page.goto(weft.url + path)
    expect(await page.locator('main h1').first().isVisible()).toBe(true)
  }
  await page.getByRole('contentinfo').getByRole('link', { name: 'About' }).click()
  await page.waitForURL('**/about')
})

test('after one visit every page opens without a network', async () => {
  const cable = await wireCutter(weft.port)
  const context = await profile()
  const page = await context.newPage()
  await page.goto(cable.url)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  cable.cut()
  await context.setOffline(true)
  const unread: string[] = []
  for (const { path, guarded } of pages) {
    await page.goto(cable.url + path)
    if (guarded) await page.waitForURL('**/login?next=*')
    const heading = await page.locator('main h1').first().innerText()
    if (heading === 'The thread broke' && path !== '/not/here') unread.push(path)
  }
  expect(unread).toEqual([])
})

test('a link inside a stored page navigates without a reload, and back works', async () => {
  const page = await (await profile()).newPage()
  await page.goto(weft.url)
  await page.evaluate('window.stillHere = true')
  await page.locator('header a[href="/about"]').first().click()
  await page.waitForURL('**/about')
  await page.waitForFunction(() => document.title.includes('About'))
  await page.goBack()
  await page.waitForFunction(() => !document.title.includes('About'))
  expect(new URL(page.url()).pathname).toBe('/')
  expect(await page.evaluate('window.stillHere')).toBe(true)
})

test('a page that was loaded ahead is there without a network', async () => {
  const context = await profile({ serviceWorkers: 'block' })
  const page = await context.newPage()
  await page.goto(weft.url)
  const link = page.getByRole('banner').getByRole('link', { name: 'About' })
  await link.hover()
  await page.waitForFunction(
    () => performance.getEntriesByName(`${location.origin}/api/v1/pages?slug=%2Fabout`).length > 0,
  )
  await context.setOffline(true)
  await link.click()
  await page.waitForFunction(() => document.title.includes('About'))
  await page.getByRole('heading', { level: 1, name: /\S/ }).waitFor()
})

test('a first visit loads at most 90 KB of scripts, unless the page holds an application', async () => {
  for (const { path } of pages) {
    if (await holdsApplication(path)) continue
    const bytes = await scriptsOf(path)
    expect(bytes, path).toBeGreaterThan(20_000)
    expect(bytes, path).toBeLessThanOrEqual(90 * 1024)
  }
})

/** Forms are no applications: they are to be there as soon as the page is. */
const forms = ['login-box', 'contact-form']

/** Whether a page has a place for an application, which loads what that takes. */
async function holdsApplication(path: string): Promise<boolean> {
  const html = await (await fetch(weft.url + path)).text()
  const slots = readFileSync(join(import.meta.dirname, '../site/src/slots.tsx'), 'utf8')
  const ids = [...slots.matchAll(/'([\w-]+)':\s*\(?\s*<Part/g)].map(([, id]) => id)
  expect(ids).toEqual(expect.arrayContaining(forms))
  return ids.some((id) => !forms.includes(id ?? '') && html.includes(`id="${id}"`))
}

/** The bytes of scripts that cross the wire, and of what is said about them, before the reader stirs. */
async function scriptsOf(path: string): Promise<number> {
  const page = await (await profile({ serviceWorkers: 'block' })).newPage()
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const scripts = new Set<string>()
  let bytes = 0
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength
  })
  await page.goto(weft.url + path, { waitUntil: 'networkidle' })
  await page.close()
  return bytes
}

/** What is wrong with a page, as text for people. */
async function faultsOf(page: Page, { path, title, guarded }: Listed): Promise<string[]> {
  const found = await visit(page, path, guarded)
  const { wide, moved } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth > innerWidth,
    moved: (window as unknown as { moved: number }).moved,
  }))
  if (wide) found.push('it is wider than the window')
  if (moved >= 0.02) found.push(`it moved by ${moved} while it loaded`)
  if ((await page.title()) !== title) found.push(`its title is ${await page.title()}`)
  return found.concat(await violations(page))
}

/** Runs before a page's own scripts, and adds up how far what is shown moves. */
function noteShifts(): void {
  const seen = Object.assign(window, { moved: 0 })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      seen.moved += (entry as unknown as { value: number }).value
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Lets every page load as on a first visit. */
async function forgetful(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
}

/** Opens a page, waits until its applications are there, and says what the browser complained about. */
async function visit(page: Page, path: string, guarded: boolean): Promise<string[]> {
  const complaints: string[] = []
  const hear = (text: string) => {
    // Chromium itself reports the 404 of a page that does not exist.
    if (!text.includes('404')) complaints.push(text)
  }
  page.removeAllListeners()
  page.on('pageerror', (error) => hear(error.message))
  page.on('console', (message) => message.type() === 'error' && hear(message.text()))
  if (guarded) await signIn(page.context())
  await page.goto(weft.url + path, { waitUntil: 'load' })
  await page.waitForFunction(() => !document.body.innerText.includes('Please Wait'))
  await page.evaluate('document.fonts.ready')
  if (guarded) await page.evaluate('localStorage.clear()')
  return complaints
}

async function signIn(context: BrowserContext): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${weft.url}/robots.txt`)
  await page.evaluate((profile) => localStorage.setItem('profile', profile), account)
  await page.close()
}

/** The profile of somebody who is signed in, as it is stored. */
async function someAccount(): Promise<string> {
  const post = (path: string) =>
    fetch(weft.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.org', password: 'correct horse' }),
    })
  await post('/api/auth/signup')
  const { data } = (await (await post('/api/auth/login')).json()) as { data: object }
  return JSON.stringify({ ...data, refreshtoken: undefined })
}

async function violations(page: Page): Promise<string[]> {
  // Through the debugger, because the page's own policy forbids foreign scripts.
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${axe}; axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((found) =>
      JSON.stringify(found.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')).join(', '))))`,
    awaitPromise: true,
  })
  await session.detach()
  return JSON.parse(result.value as string) as string[]
}

/** What the files of the site say about its pages. */
function files(): readonly {
  readonly slug: string
  readonly also?: readonly string[]
  readonly metaTitle: string
  readonly metaDescription: string
  readonly guarded?: boolean
}[] {
  const folder = join(import.meta.dirname, '../../content/pages')
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
}

/** As the server writes text into HTML. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&#34;')

const routes = [
  '/try-ai',
  '/services-data-consolidation',
  '/services-consulting',
  '/products-concept-editor',
  '/products-enterprise-schema',
  '/products-user-interaction-tracker',
  '/products-document-management-system',
  '/products-email-consolidator',
  '/products-web-scraper',
  '/products-english-language-ontology',
  '/products-base-ontology',
  '/products-schema',
  '/about',
  '/freeschema-data-fabric',
  '/',
  '/technology-semantic',
  '/technology-platform-independent',
  '/technology-user-sovereignty',
  '/contact',
  '/login',
]
