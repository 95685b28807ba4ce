import { expect, test } from 'vitest'
import { openApp } from './app.ts'
import { startWeft } from './weft.ts'

test.each(['/console', '/login'])(
  'the submit button at %s keeps the focus while it signs in, and sends one request however often it is pressed',
  async (path) => {
    const weft = await startWeft()
    const { page } = await openApp(weft.url + path)
    let sent = 0
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/api\/auth\/login$/, async (route) => {
      sent++
      await held
      await route.continue()
    })
    await page.getByLabel('E-mail').fill('ann@example.org')
    await page.getByLabel('Password', { exact: true }).fill('wrong horse')
    await page.getByRole('button', { name: 'Sign in', exact: true }).press('Enter')
    const working = page.getByRole('button', { name: 'Signing in…' })
    await working.waitFor()
    expect(await working.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Space')
    expect(await working.evaluate((button) => button === document.activeElement)).toBe(true)
    release()
    await page
      .getByRole('alert')
      .getByText(/password/)
      .waitFor()
    const button = page.getByRole('button', { name: 'Sign in', exact: true })
    expect(await button.evaluate((one) => one === document.activeElement)).toBe(true)
    expect(sent).toBe(1)
  },
)
