import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { expectNoPageDefects, pressEnter } from './app.ts'
import { openAs, startWithUsers } from './console-user.ts'

test('a user sends a request of the API with the form, and sees no route for admins', async () => {
  const weft = await startWithUsers()
  const app = await openAs(weft, '/api/Queries', 'bob@example.org')
  const { page } = app
  const operation = page.getByRole('button', { name: /POST \/api\/freeschema-query/ })
  await pressEnter(operation)
  await page.getByRole('textbox', { name: 'Body, as JSON' }).press('Control+a')
  await page.keyboard.insertText('{"type": "the_nothing", "inpage": 1}')
  await pressEnter(page.getByRole('button', { name: 'Send POST' }))
  await page.getByText('200 OK').waitFor()
  await expectNoPageDefects(app)

  await page.setViewportSize({ width: 1440, height: 900 })
  expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'People', exact: true }).count()).toBe(1)
  await page.goto(`${weft.url}/console/api/Users`)
  await page
    .getByRole('button', { name: /deleteuser/ })
    .first()
    .waitFor()
  expect(await page.getByText('/api/admin/').count()).toBe(0)
})

test('the form names a missing parameter, and a mistake in the body', async () => {
  const weft = await startWithUsers()
  const { page } = await openAs(weft, '/api/People?op=deleteAdminKeys', 'ada@example.org')
  await pressEnter(page.getByRole('button', { name: 'Send DELETE' }))
  await page.getByText('Fill in user.').waitFor()
  await page.goto(`${weft.url}/console/api/Queries?op=freeschemaQuery`)
  await page.getByRole('textbox', { name: 'Body, as JSON' }).press('End')
  await page.keyboard.insertText('}')
  await pressEnter(page.getByRole('button', { name: 'Send POST' }))
  await page.getByText(/JSON/).and(page.getByRole('alert')).waitFor()
})

test('the curl code in the API room reads the records of the type that was opened last', async () => {
  const weft = await startWithUsers()
  const app = await openAs(weft, '/records', 'ada@example.org')
  const { page } = app
  const token = await page.evaluate<string>(`(async () => {
    const { token } = JSON.parse(Object.values(localStorage).find((text) => text.includes('"token"')))
    await fetch('/api/v1/samples', { method: 'POST', headers: { Authorization: 'Bearer ' + token }, body: '{"name":"shop"}' })
    return token
  })()`)
  await page.goto(`${weft.url}/console/records/the_customer`)
  await page.getByRole('heading', { name: 'Customers' }).first().waitFor()
  await page.goto(`${weft.url}/console/api`)
  await page.getByText("weft.find('customer'").waitFor()
  await page.getByRole('link', { name: 'curl' }).press('Enter')
  await page.locator('.code').getByText('the_customer').waitFor()
  const code = await page.locator('.code').innerText()
  const answer = execFileSync('bash', ['-c', code], { env: { ...process.env, WEFT_TOKEN: token } })
  expect(JSON.parse(answer.toString()).data).toHaveLength(10)
  await expectNoPageDefects(app)
})
