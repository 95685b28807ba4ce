import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { adminOf } from './admin.ts'
import { profile } from './browser.ts'
import { binary, startWeft } from './weft.ts'

test('an open tab shows each change saved in a watched directory', async () => {
  const weft = await startWeft()
  const token = await adminOf(weft)
  const dir = join(weft.data, 'site')
  execFileSync(binary, ['content', 'pull', dir, '--url', weft.url])
  const watch = spawn(binary, ['content', 'push', dir, '--watch', '--url', weft.url], {
    env: { ...process.env, WEFT_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void watch.kill('SIGINT'))
  await new Promise((resolve) => watch.stdout.once('data', resolve))

  const page = await (await profile()).newPage()
  const subscribed = page.waitForResponse((response) => response.url().includes('/api/v1/events'))
  await page.goto(`${weft.url}/about?live`)
  await subscribed
  const file = join(dir, 'widgets/about/widget.html')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/<h1>[^<]*<\/h1>/, '<h1>Edited heading</h1>'))
  await page.getByRole('heading', { name: 'Edited heading' }).waitFor()
})

test('sends a contact message without scripts', async () => {
  const weft = await startWeft()
  const page = await (await profile({ javaScriptEnabled: false })).newPage()
  await page.goto(`${weft.url}/contact`)
  await page.locator('[name=name]').fill('Bo')
  await page.locator('[name=email]').fill('bo@example.org')
  await page.locator('[name=message]').fill('When is the next release?')
  await page.locator('form[action="/api/v1/contact"] button').click()
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  expect(await weft.count('the_contact_message')).toBe(0) // guests may not read it
})
