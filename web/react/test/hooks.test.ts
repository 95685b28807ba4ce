import { expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { open } from './chromium.ts'

// These tests use the real client and a real server.

test('useConcept reports missing for an unknown id and ready for a known one', async () => {
  const url = await startServer()
  const { page } = await open('fixture-page.tsx')
  await page.evaluate((url) => window.pageFixture.drawHooks(url, 'concept', 123_456_789), url)
  await page.getByText('missing', { exact: true }).waitFor()
  await page.evaluate((url) => window.pageFixture.drawHooks(url, 'concept', 1), url)
  await page.getByText('the', { exact: true }).waitFor()
})

test('useConcept reports an error when the server cannot be reached', async () => {
  const { page } = await open('fixture-page.tsx')
  await page.evaluate(() =>
    window.pageFixture.drawHooks('http://127.0.0.1:1', 'concept', 123_456_789),
  )
  await page.getByText('error', { exact: true }).waitFor()
})

test('useRecord shows a new record immediately and keeps it while it syncs', async () => {
  const url = await startServer()
  const { page } = await open('fixture-page.tsx')
  const states = await page.evaluate(async (url) => {
    window.pageFixture.drawHooks(url, 'query')
    const write = window.weft.create('the_probe', { text: 'now' })
    window.pageFixture.drawHooks(url, 'record', write.id, window.weft)
    const shown = () => document.querySelectorAll('output')[1]?.textContent
    const all = [shown()]
    new MutationObserver(() => all.push(shown())).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    })
    Object.assign(window, { all })
    return all
  }, url)
  const record = { status: 'ready', data: { text: 'now' } }
  const pending = JSON.stringify([record, 'pending'])
  const synced = JSON.stringify([record, 'synced'])
  expect(states).toEqual([pending])
  const shown = () => page.evaluate<string[]>('[...new Set(all)]')
  await expect.poll(shown).toEqual([pending, synced])
})

test('useQuery shows writes of this client and of others', async () => {
  const url = await startServer()
  const { page } = await open('fixture-page.tsx')
  await page.evaluate((url) => window.pageFixture.drawHooks(url, 'query'), url)
  await page.getByText('ready 0 0', { exact: true }).waitFor()
  await page.evaluate(() => window.weft.create('the_probe', { text: 'mine' }).synced)
  await page.getByText('ready 1 0', { exact: true }).waitFor()
  await page.evaluate(
    (url) => window.pageFixture.writeElsewhere(url, 'the_probe', { text: 'theirs' }),
    url,
  )
  await page.getByText('ready 2 0', { exact: true }).waitFor()
})

test('useSession follows sign-in and sign-out in all tabs and calls onSignedOut', async () => {
  const url = await startServer()
  const { page } = await open('fixture-page.tsx')
  const opened = page.waitForEvent('popup')
  await page.evaluate(() => void window.open(location.href))
  const other = await opened
  await other.waitForFunction(() => window.pageFixture !== undefined)
  const email = 'ada@example.org'
  for (const tab of [page, other]) {
    await tab.evaluate((url) => {
      window.pageFixture.drawHooks(url, 'session')
      window.pageFixture.accountOf(url)
    }, url)
    await tab.getByText('[false,null,null,false]', { exact: true }).waitFor()
  }
  await page.evaluate(
    async ({ url, email }) => {
      const account = window.pageFixture.accountOf(url)
      await account.signUp(email, 'correct horse')
      await account.signIn(email, 'correct horse')
    },
    { url, email },
  )
  for (const tab of [page, other])
    await tab.getByText(`[true,"${email}",false,false]`, { exact: true }).waitFor()
  const signOuts = (tab: typeof page) => tab.evaluate(() => window.pageFixture.signOuts.count)
  expect([await signOuts(page), await signOuts(other)]).toEqual([0, 0])
  await page.evaluate((url) => window.pageFixture.accountOf(url).signOut(), url)
  for (const tab of [page, other])
    await tab.getByText('[false,null,null,false]', { exact: true }).waitFor()
  await expect.poll(async () => [await signOuts(page), await signOuts(other)]).toEqual([1, 1])
  await page.evaluate(() => window.weft.setToken('an unknown token'))
  await page.getByText('[true,null,null,false]', { exact: true }).waitFor()
  await page.evaluate(() => void window.weft.create('the_probe', {}))
  await page.getByText('[true,null,null,true]', { exact: true }).waitFor()
})

test('useLive shows a link that is added after the first render', async () => {
  const url = await startServer()
  const { page } = await open('fixture-page.tsx')
  await page.evaluate((url) => {
    window.pageFixture.drawHooks(url, 'query')
    const [ann, bea] = [{ text: 'Ann' }, { text: 'Bea' }].map(
      (fields) => window.weft.create('the_probe', fields).id,
    )
    window.pageFixture.drawHooks(url, 'live', ann, window.weft)
    window.pageFixture.link(window.weft, ann ?? 0, 'the_probe_s_friend', bea ?? 0)
  }, url)
  await page.getByText('1 friends', { exact: true }).waitFor()
})

test('useRecord with a selector renders only when the selected part changes', async () => {
  const url = await startServer()
  const { page } = await open('fixture-page.tsx')
  const renders = await page.evaluate(async (url) => {
    const waitForRender = () => new Promise((resolve) => setTimeout(resolve, 50))
    window.pageFixture.drawHooks(url, 'query')
    const { id } = window.weft.create('the_probe', { text: 'same', done: 'false' })
    window.pageFixture.drawHooks(url, 'text', id, window.weft)
    await waitForRender()
    const rendersBefore = window.pageFixture.renders.text
    window.weft.update(id, { done: 'true' })
    await waitForRender()
    const rendersAfterOther = window.pageFixture.renders.text
    window.weft.update(id, { text: 'changed' })
    return rendersAfterOther - rendersBefore
  }, url)
  expect(renders).toBe(0)
  await page.getByText('changed', { exact: true }).waitFor()
})

test('StoredWidget shows a widget by id with its children', async () => {
  const url = await startServer()
  const response = await fetch(`${url}/api/v1/pages?slug=/about`)
  const { widget } = (await response.json()) as { widget: { id: number } }
  const { page } = await open('fixture-page.tsx')
  await page.evaluate(([url, id]) => window.pageFixture.drawHooks(url, 'widget', id), [
    url,
    widget.id,
  ] as const)
  await page.locator(`[data-widget="${widget.id}"] h1`).waitFor()
  await page.locator('[data-widget] [data-widget] footer').waitFor()
  expect(await page.evaluate("getComputedStyle(document.querySelector('.bar .row')).display")).toBe(
    'flex',
  )
})

test('StoredWidget shows a message for an unknown id', async () => {
  const url = await startServer()
  const { page } = await open('fixture-page.tsx')
  await page.evaluate((url) => window.pageFixture.drawHooks(url, 'widget', 123_456_789), url)
  await page.getByText("Invalid or Widget doesn't exist", { exact: true }).waitFor()
})
