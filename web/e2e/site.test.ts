import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { profile } from './browser.ts'
import { startNetworkProxy } from './network-proxy.ts'
import { startWeft, type Weft } from './weft.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** One address of a page, with the metadata of its file. */
interface ListedPage {
  readonly path: string
  readonly title: string
  readonly description: string
  readonly status: number
  /** Whether only signed-in users see the page. */
  readonly guarded: boolean
}

const listed: readonly ListedPage[] = files().flatMap((file) =>
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
const cleanups: (() => Promise<void>)[] = []
beforeAll(async () => {
  weft = await startWeft((cleanup) => cleanups.push(cleanup))
  account = await createAccount()
})
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup()
})

test('every required route has a page', () => {
  const paths = new Set(pages.map(({ path }) => path))
  expect(routes.filter((route) => !paths.has(route))).toEqual([])
})

test.each(pages)('$path is complete in the first response', async (page) => {
  const response = await fetch(weft.url + page.path)
  const html = await response.text()
  expect(response.status).toBe(page.status)
  expect(html).toContain(`<title>${escaped(page.title)}</title>`)
  expect(html).toContain(`<meta name="description" content="${escaped(page.description)}"`)
  expect(html).toMatch(/<h1[^>]*>[^<]/)
  expect(html).toContain('data-widget=')
  expect(response.headers.get('content-security-policy')).not.toMatch(/unsafe-(eval|inline)/)
})

test('all titles and descriptions are different', () => {
  const texts = files().flatMap((file) => [file.metaTitle, file.metaDescription])
  expect(texts.filter((text, i) => text === '' || texts.indexOf(text) !== i)).toEqual([])
})

const schemes = ['light', 'dark'] as const

/**
 * WEFT_SWEEP=all checks every page in both color schemes at every width, and saves a picture of each. By default each page is
 * checked in one scheme per width, alternately. The two widths that axe checks have different schemes.
 */
const { WEFT_SWEEP: sweep } = process.env
const sweepsAll = sweep === 'all'
const schemesFor = (turn: number) => schemes.filter((_, i) => sweepsAll || (turn + i) % 2 === 0)
/** The folder for the pictures, which Git ignores. */
const pictures = join(import.meta.dirname, 'pictures')

const layouts = [
  { width: 1440, fonts: 'early' },
  { width: 390, fonts: 'late' },
  { width: 768, fonts: 'late' },
  { width: 320, fonts: 'early' },
].map((layout, turn) => ({ ...layout, turn }))

test.each(layouts)(
  'at $width px, with fonts that arrive $fonts, no page overflows, shifts, logs errors or violates accessibility rules',
  { timeout: 900_000 },
  async ({ width, fonts, turn }) => {
    const context = await profile({
      viewport: { width, height: 900 },
      reducedMotion: 'reduce',
      serviceWorkers: 'block',
    })
    await context.addInitScript(recordShifts)
    if (fonts === 'late') await delayFonts(context)
    const page = await context.newPage()
    await disableCache(page)
    const faults: Record<string, unknown> = {}
    for (const [i, listed] of pages.entries())
      for (const scheme of schemesFor(turn + i)) {
        await page.emulateMedia({ colorScheme: scheme })
        const found = await faultsOf(page, listed)
        if (sweepsAll || width === 1440 || width === 390) found.push(...(await violations(page)))
        if (found.length > 0) faults[`${listed.path} ${scheme}`] = found
        if (!sweepsAll) continue
        const name = listed.path === '/' ? 'home' : listed.path.slice(1).replaceAll('/', '-')
        const path = join(pictures, `${name}-${width}-${scheme}.png`)
        await page.screenshot({ path, fullPage: true })
      }
    expect(faults).toEqual({})
  },
)

test('without scripts every page can be read and links work', async () => {
  const page = await (await profile({ javaScriptEnabled: false })).newPage()
  for (const { path } of pages) {
    await page.goto(weft.url + path)
    expect(await page.locator('main h1').first().isVisible()).toBe(true)
  }
  await page.getByRole('contentinfo').getByRole('link', { name: 'About' }).click()
  await page.waitForURL('**/about')
})

test('every page opens offline after one visit', async () => {
  const network = await startNetworkProxy(weft.port)
  const context = await profile()
  const page = await context.newPage()
  await page.goto(network.url)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  network.disconnect()
  await context.setOffline(true)
  const missing: string[] = []
  for (const { path, guarded } of pages) {
    await page.goto(network.url + path)
    if (guarded) await page.waitForURL('**/login?next=*')
    const heading = await page.locator('main h1').first().innerText()
    if (heading === 'This page could not be loaded' && path !== '/not/here') missing.push(path)
  }
  expect(missing).toEqual([])
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

test('a link to the console inside a stored page loads the console', async () => {
  const page = await (await profile()).newPage()
  await page.goto(weft.url)
  const about = page.locator('header a[href="/about"]').first()
  await about.evaluate((link) => link.setAttribute('href', '/console'))
  await page.locator('header a[href="/console"]').click()
  await page.getByLabel('E-mail').waitFor()
})

test('a prefetched page opens offline', async () => {
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
  const paths = pages.map(({ path }) => path)
  // Most of the time is spent waiting until the network is idle, so two pages are open at a time.
  const check = async () => {
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      if (await holdsApplication(path)) continue
      const { bytes, requests } = await scriptsOf(path)
      const loaded = `${path} loaded ${requests.join(' ')}`
      expect(bytes, loaded).toBeGreaterThan(20_000)
      expect(bytes, loaded).toBeLessThanOrEqual(90 * 1024)
    }
  }
  await Promise.all([check(), check()])
})

/** Forms do not count as applications: they must be usable as soon as the page is loaded. */
const forms = ['login-box', 'contact-form']

/** Reports whether a page has the placeholder of an application other than a form. */
async function holdsApplication(path: string): Promise<boolean> {
  const html = await (await fetch(weft.url + path)).text()
  const slots = readFileSync(join(import.meta.dirname, '../site/src/slots.tsx'), 'utf8')
  const ids = [...slots.matchAll(/'([\w-]+)':\s*\(?\s*<LazyApp/g)].map(([, id]) => id)
  expect(ids).toEqual(expect.arrayContaining(forms))
  return ids.some((id) => !forms.includes(id ?? '') && html.includes(`id="${id}"`))
}

/**
 * Returns the bytes of scripts, including their headers, that a page loads before any interaction, and the paths of all
 * its requests.
 */
async function scriptsOf(path: string): Promise<{ bytes: number; requests: readonly string[] }> {
  const page = await (await profile({ serviceWorkers: 'block' })).newPage()
  await page.addInitScript(suppressInteractions)
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const scripts = new Set<string>()
  const requests: string[] = []
  let bytes = 0
  session.on('Network.requestWillBeSent', ({ request }) => {
    requests.push(request.url.replace(weft.url, ''))
  })
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength
  })
  await page.goto(weft.url + path, { waitUntil: 'networkidle' })
  await page.close()
  return { bytes, requests }
}

/**
 * Runs before the scripts of a page and hides from them the events after which the site prefetches linked pages. The test
 * sends no input, but the browser itself may dispatch such an event, for example after it closed another window.
 */
function suppressInteractions(): void {
  const events = ['pointerover', 'pointermove', 'pointerdown', 'keydown', 'focusin', 'scroll']
  for (const event of events)
    window.addEventListener(event, (e) => e.stopImmediatePropagation(), { capture: true })
}

/** Opens a page and returns its problems as sentences. Accessibility is checked by `violations`. */
async function faultsOf(page: Page, { path, title, guarded }: ListedPage): Promise<string[]> {
  const found = await visit(page, path, guarded)
  const { wide, moved, movedElements } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth > innerWidth,
    moved: (window as unknown as Shifts).moved,
    movedElements: (window as unknown as Shifts).movedElements,
  }))
  if (wide) found.push('it is wider than the window')
  if (moved >= 0.02) found.push(`it moved by ${moved} while it loaded: ${movedElements.join(', ')}`)
  if ((await page.title()) !== title) found.push(`its title is ${await page.title()}`)
  return found
}

/** Delivers fonts after the text of a page has been painted with fallback fonts. */
async function delayFonts(context: BrowserContext): Promise<void> {
  await context.route('**/*.woff2', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    await route.continue().catch(() => undefined) // rejects if the page was closed in the meantime
  })
}

interface Shifts {
  readonly moved: number
  readonly movedElements: readonly string[]
}

/** Runs before the scripts of a page and sums up its layout shifts. */
function recordShifts(): void {
  interface Shift extends PerformanceEntry {
    readonly value: number
    readonly sources: readonly { readonly node: Node | null }[]
  }
  const sum = Object.assign(window, { moved: 0, movedElements: [] as string[] })
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries() as Shift[]) {
      sum.moved += value
      for (const { node } of sources)
        sum.movedElements.push(
          node instanceof Element ? `${node.tagName}.${node.className}` : `${node?.nodeName}`,
        )
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Disables the HTTP cache, so that every page loads as on a first visit. */
async function disableCache(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
}

/** Opens a page, waits until its applications are loaded, and returns the console errors. */
async function visit(page: Page, path: string, guarded: boolean): Promise<string[]> {
  const consoleErrors: string[] = []
  const record = (text: string) => {
    // Chromium logs the status 404 of the page that does not exist.
    if (!text.includes('404')) consoleErrors.push(text)
  }
  page.removeAllListeners()
  page.on('pageerror', (error) => record(error.message))
  page.on('console', (message) => message.type() === 'error' && record(message.text()))
  if (guarded) await signIn(page.context())
  await page.goto(weft.url + path, { waitUntil: 'load' })
  await page.waitForFunction(() => !/Loading…/.test(document.body.innerText))
  await page.evaluate('document.fonts.ready')
  if (guarded) await page.evaluate('localStorage.clear()')
  return consoleErrors
}

async function signIn(context: BrowserContext): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${weft.url}/robots.txt`)
  await page.evaluate((profile) => localStorage.setItem('profile', profile), account)
  await page.close()
}

/** Creates an account and returns its profile as the browser stores it. */
async function createAccount(): Promise<string> {
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
  // Uses the debugger, because the Content-Security-Policy of the page blocks added scripts.
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${axe}; axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((found) =>
      JSON.stringify(found.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')).join(', '))))`,
    awaitPromise: true,
  })
  await session.detach()
  return JSON.parse(result.value as string) as string[]
}

/** Reads the metadata of all pages from the files of the site. */
function files(): readonly {
  readonly slug: string
  readonly also?: readonly string[]
  readonly metaTitle: string
  readonly metaDescription: string
  readonly guarded?: boolean
}[] {
  const folder = join(import.meta.dirname, '../../internal/site/content/pages')
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
}

/** Escapes text as the server does. */
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
