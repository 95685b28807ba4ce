import { expect, test } from 'vitest'
import { expectNoPageDefects, openApp } from './app.ts'
import { startWeft } from './weft.ts'

const address = '/products-user-interaction-tracker'

test('records events across pages and a reload, and sends nothing', async () => {
  const { url } = await startWeft()
  const app = await openApp(url + address)
  const { page } = app
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/logger')) sent.push(request.postData() ?? '')
  })
  const timeline = page.getByRole('list', { name: 'Timeline, newest first' })
  await timeline.getByText(/first paint after \d+ ms/).waitFor()
  await expectNoPageDefects(app)
  await page
    .locator('footer a[href="/about"], a[href="/about"]')
    .first()
    .evaluate((link) => {
      ;(link as HTMLElement).click()
    })
  await page.waitForURL('**/about')
  await page.goBack()
  await timeline.getByText('Page /about').waitFor()
  await timeline.getByText('Click About').first().waitFor()
  await page.reload()
  await timeline.getByText('Page /about').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.poll(() => page.getByText('Page /about').count()).toBe(0)
  expect(sent).toEqual([])
})

test('sends exactly the shown data after sending is turned on', async () => {
  const { url } = await startWeft()
  const { page } = await openApp(url + address)
  await page.getByText('Off. No events are sent.').waitFor()
  const request = page.waitForRequest('**/api/logger')
  await page.getByLabel('Send new events').check()
  const { logType, logData } = (await request).postDataJSON() as {
    logType: string
    logData: { message: string }[]
  }
  expect(logType).toBe('app')
  expect(logData.map(({ message }) => message)).toEqual([
    'click: Send new events to this server’s log',
  ])
  expect(((await (await request).response()) ?? { status: () => 0 }).status()).toBe(200)
})

test('disables sending when the browser asks not to be tracked', async () => {
  const { url } = await startWeft()
  const { page } = await openApp('about:blank')
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true }),
  )
  await page.goto(url + address)
  await page.getByText('Your browser asks not to be tracked').waitFor()
  expect(await page.getByLabel('Send new events').isDisabled()).toBe(true)
})
