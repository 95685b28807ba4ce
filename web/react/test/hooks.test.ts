import { expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { open } from './chromium.ts'

// Against the real client and the real server.

test('a concept the server does not have is missing, one it has is ready', async () => {
  const url = await startServer()
  const { page } = await open('in-page.tsx')
  await page.evaluate((url) => window.inPage.drawHooks(url, 'concept', 123_456_789), url)
  await page.getByText('missing', { exact: true }).waitFor()
  await page.evaluate((url) => window.inPage.drawHooks(url, 'concept', 1), url)
  await page.getByText('the', { exact: true }).waitFor()
})

test('a concept that cannot be asked for is an error', async () => {
  const { page } = await open('in-page.tsx')
  await page.evaluate(() => window.inPage.drawHooks('http://127.0.0.1:1', 'concept', 123_456_789))
  await page.getByText('error', { exact: true }).waitFor()
})

test('a record made here is ready at once, and stays so while it syncs', async () => {
  const url = await startServer()
  const { page } = await open('in-page.tsx')
  const states = await page.evaluate(async (url) => {
    window.inPage.drawHooks(url, 'query')
    const write = window.weft.create('the_probe', { text: 'now' })
    window.inPage.drawHooks(url, 'record', write.id, window.weft)
    const shown = () => document.querySelectorAll('output')[1]?.textContent
    const before = shown()
    await write.synced
    await new Promise((done) => setTimeout(done, 50))
    return { before, after: shown() }
  }, url)
  const record = { status: 'ready', data: { text: 'now' } }
  expect(states.before).toBe(JSON.stringify([record, 'pending']))
  expect(states.after).toBe(JSON.stringify([record, 'synced']))
})

test('a query shows what is written, here and elsewhere', async () => {
  const url = await startServer()
  const { page } = await open('in-page.tsx')
  await page.evaluate((url) => window.inPage.drawHooks(url, 'query'), url)
  await page.getByText('ready 0 0', { exact: true }).waitFor()
  await page.evaluate(() => window.weft.create('the_probe', { text: 'mine' }).synced)
  await page.getByText('ready 1 0', { exact: true }).waitFor()
  await page.evaluate(
    (url) => window.inPage.writeElsewhere(url, 'the_probe', { text: 'theirs' }),
    url,
  )
  await page.getByText('ready 2 0', { exact: true }).waitFor()
})

test('who is signed in is known, in other tabs too, and that they went is told', async () => {
  const url = await startServer()
  const { page } = await open('in-page.tsx')
  const opened = page.waitForEvent('popup')
  await page.evaluate(() => void window.open(location.href))
  const other = await opened
  await other.waitForFunction(() => window.inPage !== undefined)
  const email = 'ada@example.org'
  for (const tab of [page, other]) {
    await tab.evaluate((url) => {
      window.inPage.drawHooks(url, 'session')
      window.inPage.accountOf(url)
    }, url)
    await tab.getByText('[false,null,null,false]', { exact: true }).waitFor()
  }
  await page.evaluate(
    async ({ url, email }) => {
      const account = window.inPage.accountOf(url)
      await account.signUp(email, 'correct horse')
      await account.signIn(email, 'correct horse')
    },
    { url, email },
  )
  for (const tab of [page, other])
    await tab.getByText(`[true,"${email}",false,false]`, { exact: true }).waitFor()
  const farewells = (tab: typeof page) => tab.evaluate(() => window.inPage.farewells.count)
  expect([await farewells(page), await farewells(other)]).toEqual([0, 0])
  await page.evaluate((url) => window.inPage.accountOf(url).signOut(), url)
  for (const tab of [page, other])
    await tab.getByText('[false,null,null,false]', { exact: true }).waitFor()
  expect([await farewells(page), await farewells(other)]).toEqual([1, 1])
  await page.evaluate(() => window.weft.setToken('a key that nobody gave'))
  await page.getByText('[true,null,null,false]', { exact: true }).waitFor()
  await page.evaluate(() => void window.weft.create('the_probe', {}))
  await page.getByText('[true,null,null,true]', { exact: true }).waitFor()
})

test('links are shown, and follow what is written', async () => {
  const url = await startServer()
  const { page } = await open('in-page.tsx')
  await page.evaluate((url) => {
    window.inPage.drawHooks(url, 'query')
    const [ann, bea] = [{ text: 'Ann' }, { text: 'Bea' }].map(
      (fields) => window.weft.create('the_probe', fields).id,
    )
    window.inPage.drawHooks(url, 'live', ann, window.weft)
    window.inPage.link(window.weft, ann ?? 0, 'the_probe_s_friend', bea ?? 0)
  }, url)
  await page.getByText('1 friends', { exact: true }).waitFor()
})

test('a selected part draws again only when it changes', async () => {
  const url = await startServer()
  const { page } = await open('in-page.tsx')
  const draws = await page.evaluate(async (url) => {
    const settled = () => new Promise((done) => setTimeout(done, 50))
    window.inPage.drawHooks(url, 'query')
    const { id } = window.weft.create('the_probe', { text: 'same', done: 'false' })
    window.inPage.drawHooks(url, 'text', id, window.weft)
    await settled()
    const first = window.inPage.draws.text
    window.weft.update(id, { done: 'true' })
    await settled()
    const other = window.inPage.draws.text
    window.weft.update(id, { text: 'changed' })
    await settled()
    return [other - first, window.inPage.draws.text > other, document.body.textContent]
  }, url)
  expect(draws).toEqual([0, true, expect.stringContaining('changed')])
})

test('a stored widget is shown by its id, with the widgets inside it', async () => {
  const url = await startServer()
  const answer = await fetch(`${url}/api/v1/pages?slug=/about`)
  const { widget } = (await answer.json()) as { widget: { id: number } }
  const { page } = await open('in-page.tsx')
  await page.evaluate(([url, id]) => window.inPage.drawHooks(url, 'widget', id), [
    url,
    widget.id,
  ] as const)
  await page.locator(`[data-widget="${widget.id}"] h1`).waitFor()
  await page.locator('[data-widget] [data-widget] footer').waitFor()
  expect(await page.evaluate("getComputedStyle(document.querySelector('.bar .row')).display")).toBe(
    'flex',
  )
})

test('a widget that is not there says so', async () => {
  const url = await startServer()
  const { page } = await open('in-page.tsx')
  await page.evaluate((url) => window.inPage.drawHooks(url, 'widget', 123_456_789), url)
  await page.getByText("Invalid or Widget doesn't exist", { exact: true }).waitFor()
})
