import type { ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { accessibilityViolations } from './axe.ts'
import { type Handler, open } from './chromium.ts'
import { type RecordCase, write } from './records.ts'

const emptyEntry = {
  type: '',
  text: '',
  docTitle: '',
  content: '',
  creatorEmail: '',
  createdBy: '',
  folder: '',
  language: '',
  return: '',
  codeEditor: '',
  method: '',
  methodUrl: '',
  authType: '',
  apiScript: '',
  apiBody: '',
  jsonList: [],
  docUrls: [],
  imageUrls: [],
  videoLinks: [],
}

describe('documentation', () => {
  test('is loaded by the id of the original when a click on the icon opens the dialog', async () => {
    const { page, requests } = await openPage({
      entries: [{ ...emptyEntry, id: 1, text: 'old text' }],
    })
    expect(requests.filter((address) => address.includes('/api/'))).toEqual([])
    const button = page.locator('.widget-documentation-btn').first()
    expect(await button.getAttribute('widget-id')).toBe('7')
    expect(await button.getAttribute('title')).toBe('Documentation')
    await page.mouse.click(...(await centerOf(page, '.widget-documentation-btn svg')))
    await page.getByRole('dialog', { name: 'Documentation' }).getByText('old text').waitFor()
    expect(
      requests.map((address) => new URL(address).pathname + new URL(address).search),
    ).toContain('/api/v1/widgets/documentation?id=7')
  })

  test('closes by either button, Escape or a click outside, and restores focus and scrolling', async () => {
    const { page } = await openPage({ entries: [] })
    const closeActions = [
      () => page.getByTitle('Close').click(),
      () => page.getByText('Close', { exact: true }).click(),
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(5, 5),
    ]
    for (const close of closeActions) {
      await page.getByTitle('Documentation').nth(1).click()
      await page.getByText('This widget has no documentation yet.').waitFor()
      expect(await page.evaluate('getComputedStyle(document.documentElement).overflow')).toBe(
        'hidden',
      )
      await close()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await page.evaluate("document.activeElement.getAttribute('widget-id')")).toBe('8')
      expect(await page.evaluate('getComputedStyle(document.documentElement).overflow')).toBe(
        'visible',
      )
    }
  })

  test('keeps focus inside the open dialog, and no id is used twice', async () => {
    const { page } = await openPage({ entries: [] })
    await page.getByTitle('Documentation').first().click()
    await page.getByText('This widget has no documentation').waitFor()
    const focusedContainers = new Set<unknown>()
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press('Tab')
      focusedContainers.add(
        await page.evaluate("document.activeElement.closest('dialog, body').localName"),
      )
    }
    expect([...focusedContainers].filter((name) => name !== 'dialog' && name !== 'body')).toEqual(
      [],
    )
    expect(
      await page.evaluate("document.querySelector('h2:focus, .widget-documentation-btn:focus')"),
    ).toBe(null)
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('shows a loading state, then the error with a retry button', async () => {
    let heldResponses: ServerResponse[] | undefined = []
    let broken = true
    const { page } = await openPage((response, url) => {
      if (heldResponses) heldResponses.push(response)
      else if (broken) response.writeHead(503).end()
      else json({ entries: [] })(response, url)
    })
    await page.getByTitle('Documentation').first().click()
    await page.getByText('Loading…').waitFor()
    await expect.poll(() => heldResponses?.length).toBeGreaterThan(0)
    for (const response of heldResponses) response.writeHead(503).end()
    heldResponses = undefined
    await page.getByText('Error: Service Unavailable').waitFor()
    broken = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('This widget has no documentation').waitFor()
  })

  test('loads automatically when the browser comes online', async () => {
    const { page } = await openPage({ entries: [] })
    await page.getByTitle('Documentation').first().click()
    await page.getByText('This widget has no documentation').waitFor()
    await page.keyboard.press('Escape')
    await page.context().setOffline(true)
    await page.getByTitle('Documentation').first().click()
    await page.getByText('You are offline.').waitFor()
    await page.context().setOffline(false)
    await page.getByText('This widget has no documentation').waitFor()
  })

  test('shows every kind of entry but no credentials, and loads nothing from other sites', async () => {
    const { page, requests } = await openPage(everyKind)
    await page.getByTitle('Documentation').first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'Sign in (API)' }).waitFor()
    expect(await dialog.locator('article').allInnerTexts()).toEqual([
      'What it was about',
      expect.stringMatching(/^Notes\s+Made with care\.\s+- added by: ann@weft\.example$/),
      expect.stringMatching(
        /^Sign in \(API\)\s+Method Type\s+POST\s+Endpoint\s+https:\/\/api\.test\/login\s+Auth Type\s+Basic Auth\s+Username\s+•+ set\s+Password\s+•+ set\s+JSON\s+name: Ann, mail: a@b\.co\s+Body\s+\{\}\s+Scripts\s+fetch\('<b>'\)$/,
      ),
      expect.stringMatching(
        /^sum \(Functions and Classes\)\s+Language\s+js\s+Parameter\s+a, b\s+Returns\s+a \+ b$/,
      ),
      expect.stringMatching(
        /^Pictures \(Images and Links\)\s+Web links\s+https:\/\/docs\.test\/\s+Attachments\s+https:\/\/images\.test\/b\.png\s+Videos\s+Videos of other sites open on those sites\.\s+https:\/\/videos\.test\/c\.mp4$/,
      ),
    ])
    expect(
      await dialog
        .locator('img')
        .evaluateAll((all) => all.map((image) => image.getAttribute('alt'))),
    ).toEqual(['away', 'a.png'])
    expect(await dialog.locator('iframe').getAttribute('sandbox')).toBe('')
    expect(await page.locator('a[target]:not([rel~=noopener])').count()).toBe(0)
    expect(await page.locator('script:not([src]), [onclick], a[href^=javascript]').count()).toBe(0)
    expect(requests.filter((address) => /\.test\//.test(address))).toEqual([])
    expect(await accessibilityViolations(page)).toEqual([])
  })

  test.each([
    { width: 390, scheme: 'light' },
    { width: 1440, scheme: 'dark' },
  ] as const)(
    'fits a $scheme page of $width pixels without accessibility violations',
    async ({ width, scheme }) => {
      const { page } = await openPage(everyKind)
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme: scheme })
      onTestFinished(async () => {
        await page.setViewportSize({ width: 1280, height: 720 })
        await page.emulateMedia({ colorScheme: 'light' })
      })
      await page.getByTitle('Documentation').first().click()
      await page.getByRole('heading', { name: 'Sign in (API)' }).waitFor()
      const box = await page.getByRole('dialog').boundingBox()
      expect(box && box.x >= 0 && box.x + box.width <= width && box.height <= 800).toBe(true)
      expect(
        await page
          .locator('.documentation-view')
          .evaluate((view) => view.scrollWidth <= view.clientWidth),
      ).toBe(true)
      expect(await accessibilityViolations(page)).toEqual([])
    },
  )

  test('is rendered by the widget that the operator configured', async () => {
    const { page, requests } = await open('fixture-documentation.tsx', app, {
      '/api/v1/config': json({ success: true, config: { documentationWidget: 5 } }),
      '/api/v1/widgets': json({
        widget: { id: 50, root: 5, name: 'shelf', html: '<p>All there is to read</p>', css: '' },
      }),
    })
    await page.evaluate(() => window.documentationFixture.draw(location.origin, [7], 'client'))
    await page.getByTitle('Documentation').click()
    await page.getByRole('dialog').getByText('All there is to read').waitFor()
    expect(
      requests.some((address) => address.endsWith('/api/v1/widgets?id=5&version=latest')),
    ).toBe(true)
    expect(requests.some((address) => address.includes('/widgets/documentation'))).toBe(false)
  })

  test('from a real server is updated when another client writes', async () => {
    const url = await startServer()
    const one: RecordCase = {
      type: 'the_documentation',
      fields: [
        ['the_documentation_doc_title', 'One'],
        ['the_documentation_type', 'api'],
        ['the_documentation_password', 'swordfish'],
        ['the_documentation_content', '<p onclick="hit()">How <script>hit()</script></p>'],
      ],
    }
    const [entry = 0] = await write(url, one)
    const [id = 0] = await write(url, {
      type: 'the_widget',
      fields: [
        ['the_widget_name', 'clock'],
        ['the_widget_s_documentation', entry],
      ],
    })
    const { page } = await open('fixture-documentation.tsx', app)
    await page.evaluate(([url, id]) => window.documentationFixture.draw(url, [id], 'client'), [
      url,
      id,
    ] as const)
    await page.getByTitle('Documentation').click()
    await page.getByRole('heading', { name: 'One (API)' }).waitFor()
    expect(await page.getByRole('dialog').innerHTML()).not.toMatch(/swordfish|hit\(\)/)
    const [two = 0] = await write(url, {
      type: 'the_documentation',
      fields: [['the_documentation_doc_title', 'Two']],
    })
    await write(url, { type: 'the_widget', id, fields: [['the_widget_s_documentation', two]] })
    await page.getByRole('heading', { name: 'Two', exact: true }).waitFor()
    await write(url, {
      type: 'the_documentation',
      id: two,
      fields: [['the_documentation_text', 'more of it']],
    })
    await page.getByText('more of it').waitFor()
  })
})

const app = '<title>Documentation</title><main id="app"></main>'

/** Opens a page with two widgets, 7 and 8, on a server that responds with this documentation for both. */
async function openPage(documentation: object | Handler) {
  const opened = await open('fixture-documentation.tsx', app, {
    '/api/v1/config': json({ success: true, config: { documentationWidget: 0 } }),
    '/api/v1/widgets/documentation':
      typeof documentation === 'function' ? (documentation as Handler) : json(documentation),
    '/a.png': (response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(),
  })
  await opened.page.evaluate(() => window.documentationFixture.draw(location.origin, [7, 8]))
  await opened.page.getByTitle('Documentation').first().waitFor()
  return opened
}

const json =
  (body: object): Handler =>
  (response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))

const everyKind: Handler = (response, url) =>
  json({ entries: entries(`http://${response.req.headers.host}`) })(response, url)

/** One entry of each kind, with images and videos of this site and of others. */
const entries = (origin: string) => [
  { ...emptyEntry, id: 1, text: 'What it was about' },
  {
    ...emptyEntry,
    id: 2,
    docTitle: 'Notes',
    content:
      '<p onclick="hit()">Made with <b>care</b>.</p><img src="https://images.test/x.png" alt="away">',
    creatorEmail: 'ann@weft.example',
    createdBy: 'https://people.test/ann',
  },
  {
    ...emptyEntry,
    id: 3,
    type: 'api',
    docTitle: 'Sign in',
    method: 'post',
    methodUrl: 'https://api.test/login',
    authType: 'basicAuth',
    hasUsername: true,
    hasPassword: true,
    jsonList: [
      { key: 'name', value: 'Ann' },
      { key: 'mail', value: 'a@b.co' },
    ],
    apiBody: '{}',
    apiScript: "fetch('<b>')",
  },
  {
    ...emptyEntry,
    id: 4,
    type: 'function',
    docTitle: 'sum',
    language: 'js',
    codeEditor: 'a, b',
    return: 'a + b',
  },
  {
    ...emptyEntry,
    id: 5,
    type: 'imgAndLink',
    docTitle: 'Pictures',
    docUrls: ['https://docs.test/', 'javascript:hit()'],
    imageUrls: [`${origin}/a.png`, 'https://images.test/b.png'],
    videoLinks: [`${origin}/a.mp4`, 'https://videos.test/c.mp4'],
  },
]

async function centerOf(page: Page, selector: string): Promise<[number, number]> {
  const box = await page.locator(selector).first().boundingBox()
  return box ? [box.x + box.width / 2, box.y + box.height / 2] : [0, 0]
}
