import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import { accessibilityViolations } from '../../react/test/axe.ts'
import type {} from './page/devtools.ts'
import { startServer } from './server.ts'
import { outsideClient, servePages } from './tab.ts'

const pageAt = servePages()

test('devtools show pending writes, the graph, watchers, messages and the history', async () => {
  const network = await startNetworkProxy(Number(new URL(await startServer()).port))
  const page = await (await profile()).newPage()
  page.on('pageerror', (error) => expect.soft(error).toBeUndefined())
  await page.goto(pageAt(`devtools.html?weft=${network.url}`))
  await page.evaluate(() => window.weft.ready)
  await page.evaluate(() => {
    window.openDevtools()
  })
  const tools = page.getByRole('complementary', { name: 'Weft devtools' })
  const tab = (name: string) => tools.getByRole('tab', { name })
  await tools.getByText('No pending writes.').waitFor()
  expect(await accessibilityViolations(page)).toEqual([])

  network.disconnect()
  const id = await page.evaluate(() => window.weft.create('the_note', { text: 'first' }).id)
  await tools.getByRole('cell', { name: 'pending' }).waitFor()
  await tools.getByText('offline').first().waitFor()
  await tools.getByRole('cell', { name: `${id} the_note “first”` }).waitFor()
  await tools.getByRole('cell', { name: 'text: first' }).waitFor()

  await page.evaluate((id) => window.weft.update(id, { text: 'second' }), id)
  await tab('History').click()
  await tools.getByText('"second"').first().waitFor()
  const slider = tools.getByRole('slider', { name: 'Moment' })
  await slider.focus()
  for (let press = 0; press < 9; press++) await page.keyboard.press('ArrowLeft')
  await tools.getByText('"first"').first().waitFor()
  await tools.getByRole('button', { name: `${id} the_note` }).click()
  await tools.getByText('Then:').waitFor()
  await tools.getByText('"second"').first().waitFor()
  await tools.getByRole('button', { name: 'the_text second' }).click()
  await tools.getByText('No outgoing connections.').waitFor()
  await tools.getByLabel('Look up a concept by its id').fill('4000000000')
  await page.keyboard.press('Enter')
  await tools.getByText('Concept 4000000000 is not loaded.').waitFor()

  await tab('Graph').focus()
  await page.keyboard.press('ArrowRight')
  await tools.getByText('"type":"the_note"').first().waitFor()
  expect(await accessibilityViolations(page)).toEqual([])

  await tab('Messages').click()
  await tools.getByText('this tab leads, of 1').waitFor()
  await tools
    .getByText(/^added/)
    .first()
    .waitFor()
  network.reconnect()
  await tools
    .getByText(/^200, \d+ ms$/)
    .first()
    .waitFor()
  await tools.getByText('POST /api/v1/local-concepts').first().waitFor()

  await tab('Writes').click()
  await tools.getByText('No pending writes.').waitFor()
  await tools.getByRole('button', { name: 'Close' }).click()
  await tools.waitFor({ state: 'detached' })
})

test('filling an empty graph adds a moment to the history', async () => {
  const url = await startServer()
  const elsewhere = outsideClient(url)
  const id = await elsewhere.create('the_thing', { text: 'from elsewhere' }).synced
  const page = await (await profile()).newPage()
  await page.goto(pageAt(`devtools.html?weft=${url}`))
  await page.evaluate(async (id) => {
    await window.weft.ready
    window.openDevtools()
    await window.weft.load(id)
  }, id)
  await page.getByRole('tab', { name: 'History' }).click()
  const slider = page.getByRole('slider', { name: 'Moment' })
  await slider.focus()
  await page.keyboard.press('Home')
  await page.getByRole('button', { name: `${id} the_thing` }).waitFor()
})

test('a write discarded in the devtools leaves no trace', async () => {
  const network = await startNetworkProxy(Number(new URL(await startServer()).port))
  network.disconnect()
  const page = await (await profile()).newPage()
  await page.goto(pageAt(`devtools.html?weft=${network.url}`))
  const id = await page.evaluate(async () => {
    await window.weft.ready
    window.openDevtools()
    return window.weft.create('the_note', { text: 'regretted' }).id
  })
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByText('No pending writes.').waitFor()
  expect(await page.evaluate((id) => window.weft.record(id), id)).toBeUndefined()
})
