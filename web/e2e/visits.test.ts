import { expect, test } from 'vitest'
import { expectSound, openApp } from './app.ts'
import { startWeft } from './weft.ts'

const address = '/products-user-interaction-tracker'

test('a visit is noted in its tab, over pages and a reload, and nothing is sent', async () => {
  const { url } = await startWeft()
  const app = await openApp(url + address)
  const { page } = app
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/logger')) sent.push(request.postData() ?? '')
  })
  const line = page.getByRole('list', { name: 'Timeline, the newest first' })
  await line.getByText(/first paint after \d+ ms/).waitFor()
  await expectSound(app)
  await page
    .locator('footer a[href="/about"], a[href="/about"]')
    .first()
    .evaluate((link) => {
      ;(link as HTMLElement).click()
    })
  await page.waitForURL('**/about')
  await page.goBack()
  await line.getByText('Page /about').waitFor()
  await line.getByText('Click About').first().waitFor()
  await page.reload()
  await line.getByText('Page /about').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.poll(() => page.getByText('Page /about').count()).toBe(0)
  expect(sent).toEqual([])
})

test('switched on, it sends what the page says it sends, and the server keeps it', async () => {
  const { url } = await startWeft()
  const { page } = await openApp(url + address)
  await page.getByText('Off. Nothing of this visit is sent.').waitFor()
  const request = page.waitForRequest('**/api/logger')
  await page.getByLabel('Send what happens from now on').check()
  const { logType, logData } = (await request).postDataJSON() as {
    logType: string
    logData: { message: string }[]
  }
  expect(logType).toBe('app')
  expect(logData.map(({ message }) => message)).toEqual([
    'click: Send what happens from now on to this server’s log',
  ])
  expect(((await (await request).response()) ?? { status: () => 0 }).status()).toBe(200)
})

test('a browser that asks not to be tracked is left alone', async () => {
  const { url } = await startWeft()
  const { page } = await openApp('about:blank')
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true }),
  )
  await page.goto(url + address)
  await page.getByText('Your browser asks not to be tracked').waitFor()
  expect(await page.getByLabel('Send what happens from now on').isDisabled()).toBe(true)
})
