import type { ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { faults } from './axe.ts'
import { type Answer, open } from './chromium.ts'

describe('a form', () => {
  test('says nothing of a field before it is left, then what is wrong, then nothing again', async () => {
    const { page } = await drawn()
    await page.getByLabel('Password').fill('short')
    expect(await page.getByText('Length must be').count()).toBe(0)
    await page.getByLabel('Email').focus()
    await page.getByText('Length must be at least 8 characters long').waitFor()
    expect(await described(page, 'Password')).toBe(
      'Eight letters. Length must be at least 8 characters long',
    )
    await page.getByLabel('Password').fill('long enough')
    await expect.poll(() => described(page, 'Password')).toBe('Eight letters.')
    expect(await page.getByLabel('Password').getAttribute('aria-invalid')).toBe(null)
  })

  test('is submitted by one click, though leaving a field shows an error and moves the button', async () => {
    const { page } = await drawn()
    await page.getByLabel('Email').focus()
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('The field Password is required.').waitFor()
  })

  test('submitted with errors asks nobody, shows all of them and focuses the first', async () => {
    const { page } = await drawn()
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('The field Email is required.').waitFor()
    await page.getByText('The field Password is required.').waitFor()
    await expect.poll(() => focused(page)).toBe('email')
    expect(await page.evaluate(() => window.inForm.asked)).toEqual([])
    expect(await page.locator('output').textContent()).toBe('editing')
    expect(await faults(page)).toEqual([])
  })

  test('asks whether a value is taken after a pause, and no answer to an older value counts', async () => {
    const waiting = new Map<string, ServerResponse>()
    const { page } = await drawn({
      '/taken': (answer, url) => waiting.set(url.searchParams.get('the_email') ?? '', answer),
    })
    await page.getByLabel('Email').fill('a@b.co')
    await expect.poll(() => waiting.has('a@b.co')).toBe(true)
    await page.getByText('Checking…').waitFor()
    await page.getByLabel('Email').pressSequentially('m')
    await expect.poll(() => waiting.has('a@b.com')).toBe(true)
    waiting.get('a@b.com')?.end('true')
    await page.getByLabel('Email').blur()
    await page.getByText('Value is not unique').waitFor()
    waiting.get('a@b.co')?.end('false')
    await page.getByLabel('Password').fill('long enough')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect.poll(() => focused(page)).toBe('email')
    expect(await described(page, 'Email')).toBe('Value is not unique')
    expect(await page.evaluate(() => window.inForm.asked)).toHaveLength(2)
  })

  test('submits values that broke no rule, once', async () => {
    let submit = (_: ServerResponse) => {}
    const submitted = new Promise<ServerResponse>((resolve) => {
      submit = resolve
    })
    const { page } = await drawn({ '/submit': (answer) => submit(answer) })
    await fill(page)
    await page.getByLabel('Password').press('Enter')
    await page.getByText('submitting dirty').waitFor()
    await page.getByRole('button', { name: 'Sign up' }).click()
    const answer = await submitted
    answer.end('true')
    await page.getByText('submitted dirty').waitFor()
    expect(await page.evaluate(() => window.inForm.asked)).toEqual([
      '/taken?the_email=a@b.co',
      '/submit?email=a%40b.co&password=long+enough&about=me',
    ])
    await page.getByLabel('About you').fill('you')
    await page.getByText('editing dirty').waitFor()
  })

  test('shows at a field what the server said of it, until the value changes', async () => {
    const { page } = await drawn({ '/submit': refuse('the password is known to thieves') })
    await fill(page)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('the password is known to thieves').waitFor()
    await expect.poll(() => focused(page)).toBe('password')
    expect(await page.getByRole('alert').textContent()).toBe('')
    await page.getByLabel('Password').pressSequentially('!')
    await expect.poll(() => described(page, 'Password')).toBe('Eight letters.')
  })

  test('says as a whole what no field is to blame for, and may be sent again', async () => {
    let broken = true
    const { page } = await drawn({
      '/submit': (answer, url) => (broken ? refuse('no room')(answer, url) : answer.end('true')),
    })
    await fill(page)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect.poll(() => page.getByRole('alert').textContent()).toBe('no room')
    broken = false
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('submitted').waitFor()
    expect(await page.getByRole('alert').textContent()).toBe('')
  })

  test('is not sent when nobody can say whether a value is taken', async () => {
    const { page } = await drawn({ '/taken': refuse('no network') })
    await fill(page)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect.poll(() => page.getByRole('alert').textContent()).toBe('no network')
    const asked = await page.evaluate(() => window.inForm.asked)
    expect(asked.filter((path) => path.startsWith('/submit'))).toEqual([])
  })

  test('starts over as it began, whatever an old submission says', async () => {
    const sent: ServerResponse[] = []
    const { page } = await drawn({ '/submit': (answer) => sent.push(answer) })
    await fill(page)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect.poll(() => sent.length).toBe(1)
    await page.getByRole('button', { name: 'Start over' }).click()
    const answered = page.waitForResponse((response) => response.url().includes('/submit'))
    sent[0]?.end('true')
    await (await answered).finished()
    await page.getByText('editing', { exact: true }).waitFor()
    expect(await page.getByLabel('About you').inputValue()).toBe('me')
    expect(await page.getByLabel('Email').inputValue()).toBe('')
  })
})

/** The form for signing up, on a server where nothing is taken and everything is accepted. */
async function drawn(paths: Record<string, Answer> = {}) {
  const opened = await open('in-form.tsx', '<title>Forms</title><div id="app"></div>', {
    '/taken': (answer) => answer.end('false'),
    '/submit': (answer) => answer.end('true'),
    ...paths,
  })
  await opened.page.evaluate(() => window.inForm.draw())
  await opened.page.getByRole('heading').waitFor()
  return opened
}

async function fill(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('a@b.co')
  await page.getByLabel('Password').fill('long enough')
}

const refuse =
  (why: string): Answer =>
  (answer) =>
    answer.writeHead(409).end(why)

const focused = (page: Page) => page.evaluate('document.activeElement.name')

/** What a screen reader says of a field beyond its label. */
const described = (page: Page, label: string) =>
  page.getByLabel(label).evaluate((field) =>
    (field.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent)
      .filter(Boolean)
      .join(' '),
  )
