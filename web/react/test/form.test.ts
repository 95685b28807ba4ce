import type { ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { accessibilityViolations } from './axe.ts'
import { type Handler, open } from './chromium.ts'

describe('a form', () => {
  test('shows the errors of a field after it is left, until the value is valid', async () => {
    const { page } = await openForm()
    await page.getByLabel('Password').fill('short')
    expect(await page.getByText('Length must be').count()).toBe(0)
    await page.getByLabel('Email').focus()
    await page.getByText('Length must be at least 8 characters long').waitFor()
    expect(await descriptionOf(page, 'Password')).toBe(
      'Eight letters. Length must be at least 8 characters long',
    )
    await page.getByLabel('Password').fill('long enough')
    await expect.poll(() => descriptionOf(page, 'Password')).toBe('Eight letters.')
    expect(await page.getByLabel('Password').getAttribute('aria-invalid')).toBe(null)
  })

  test('marks a field as valid or invalid by its class after it is left', async () => {
    const pendingChecks: ServerResponse[] = []
    const { page } = await openForm({ '/taken': (response) => pendingChecks.push(response) })
    const classOf = (label: string) => page.getByLabel(label).getAttribute('class')
    const [password, email] = [page.getByLabel('Password'), page.getByLabel('Email')]
    await password.fill('short')
    expect(await classOf('Password')).toBe(null)
    await password.blur()
    await expect.poll(() => classOf('Password')).toBe('invalid')
    await password.fill('long enough')
    await expect.poll(() => classOf('Password')).toBe('valid')
    // A unique value is valid only after the server has confirmed it.
    await email.fill('a@b.co')
    await email.blur()
    await expect.poll(() => pendingChecks.length).toBe(1)
    await page.getByText('Checking…').waitFor()
    expect(await classOf('Email')).toBe(null)
    pendingChecks[0]?.end('false')
    await expect.poll(() => classOf('Email')).toBe('valid')
    expect(await classOf('About you')).toBe(null)
    await page.getByRole('button', { name: 'Start over' }).click()
    await expect.poll(() => classOf('Password')).toBe(null)
  })

  test('asks the user to try again when the rules of a field cannot be applied', async () => {
    const { page } = await openForm()
    await page.getByLabel('Nickname').fill('Ann')
    await page.getByLabel('Nickname').blur()
    await expect
      .poll(() => descriptionOf(page, 'Nickname'))
      .toBe('Validation failed. Please try again.')
    expect(await page.getByLabel('Nickname').getAttribute('class')).toBe('invalid')
    await fillRequiredFields(page)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect.poll(() => focusedFieldName(page)).toBe('nickname')
    await page.getByLabel('Nickname').fill('')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('submitted').waitFor()
  })

  test('is submitted by one click even if leaving a field shows an error that moves the button', async () => {
    const { page } = await openForm()
    await page.getByLabel('Email').focus()
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('The field Password is required.').waitFor()
  })

  test('with errors sends no request, shows all errors and focuses the first field', async () => {
    const { page } = await openForm()
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('The field Email is required.').waitFor()
    await page.getByText('The field Password is required.').waitFor()
    await expect.poll(() => focusedFieldName(page)).toBe('email')
    expect(await page.evaluate(() => window.formFixture.requests)).toEqual([])
    expect(await page.locator('output').textContent()).toBe('editing')
    expect(await accessibilityViolations(page)).toEqual([])
  })

  test('checks uniqueness after a delay and ignores results of older values', async () => {
    const pendingChecks = new Map<string, ServerResponse>()
    const { page } = await openForm({
      '/taken': (response, url) =>
        pendingChecks.set(url.searchParams.get('the_email') ?? '', response),
    })
    await page.getByLabel('Email').fill('a@b.co')
    await expect.poll(() => pendingChecks.has('a@b.co')).toBe(true)
    await page.getByText('Checking…').waitFor()
    await page.getByLabel('Email').pressSequentially('m')
    await expect.poll(() => pendingChecks.has('a@b.com')).toBe(true)
    pendingChecks.get('a@b.com')?.end('true')
    await page.getByLabel('Email').blur()
    await page.getByText('Value is not unique').waitFor()
    pendingChecks.get('a@b.co')?.end('false')
    await page.getByLabel('Password').fill('long enough')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect.poll(() => focusedFieldName(page)).toBe('email')
    expect(await descriptionOf(page, 'Email')).toBe('Value is not unique')
    expect(await page.evaluate(() => window.formFixture.requests)).toHaveLength(2)
  })

  test('submits valid values once', async () => {
    const submissions: ServerResponse[] = []
    const { page } = await openForm({ '/submit': (response) => submissions.push(response) })
    await fillRequiredFields(page)
    await page.getByLabel('Password').press('Enter')
    await page.getByText('submitting dirty').waitFor()
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect.poll(() => submissions.length).toBe(1)
    submissions[0]?.end('true')
    await page.getByText('submitted dirty').waitFor()
    expect(await page.evaluate(() => window.formFixture.requests)).toEqual([
      '/taken?the_email=a@b.co',
      '/submit?email=a%40b.co&password=long+enough&about=me&nickname=',
    ])
    await page.getByLabel('About you').fill('you')
    await page.getByText('editing dirty').waitFor()
  })

  test('shows a server error of a field until its value changes', async () => {
    const { page } = await openForm({ '/submit': refuse('the password is known to thieves') })
    await fillRequiredFields(page)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('the password is known to thieves').waitFor()
    await expect.poll(() => focusedFieldName(page)).toBe('password')
    expect(await page.getByRole('alert').textContent()).toBe('')
    await page.getByLabel('Password').pressSequentially('!')
    await expect.poll(() => descriptionOf(page, 'Password')).toBe('Eight letters.')
  })

  test('shows other server errors for the whole form, which can be submitted again', async () => {
    let broken = true
    const { page } = await openForm({
      '/submit': (response, url) =>
        broken ? refuse('no room')(response, url) : response.end('true'),
    })
    await fillRequiredFields(page)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect.poll(() => page.getByRole('alert').textContent()).toBe('no room')
    broken = false
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('submitted').waitFor()
    expect(await page.getByRole('alert').textContent()).toBe('')
  })

  test('is not submitted when uniqueness cannot be checked', async () => {
    const { page } = await openForm({ '/taken': refuse('no network') })
    await fillRequiredFields(page)
    await page.getByRole('button', { name: 'Sign up' }).click()
    const failed = 'Validation failed. Please try again.'
    await expect.poll(() => page.getByRole('alert').textContent()).toBe(failed)
    const requests = await page.evaluate(() => window.formFixture.requests)
    expect(requests.filter((path) => path.startsWith('/submit'))).toEqual([])
  })

  test('resets to the initial values and ignores a running submission', async () => {
    const submissions: ServerResponse[] = []
    const { page } = await openForm({ '/submit': (response) => submissions.push(response) })
    await fillRequiredFields(page)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect.poll(() => submissions.length).toBe(1)
    await page.getByRole('button', { name: 'Start over' }).click()
    const responded = page.waitForResponse((response) => response.url().includes('/submit'))
    submissions[0]?.end('true')
    await (await responded).finished()
    await page.getByText('editing', { exact: true }).waitFor()
    expect(await page.getByLabel('About you').inputValue()).toBe('me')
    expect(await page.getByLabel('Email').inputValue()).toBe('')
  })
})

/** Opens the sign-up form on a server where no value is taken and every submission is accepted. */
async function openForm(paths: Record<string, Handler> = {}) {
  const opened = await open('fixture-form.tsx', '<title>Forms</title><div id="app"></div>', {
    '/taken': (response) => response.end('false'),
    '/submit': (response) => response.end('true'),
    ...paths,
  })
  await opened.page.evaluate(() => window.formFixture.draw())
  await opened.page.getByRole('heading').waitFor()
  return opened
}

async function fillRequiredFields(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('a@b.co')
  await page.getByLabel('Password').fill('long enough')
}

const refuse =
  (message: string): Handler =>
  (response) =>
    response.writeHead(409).end(message)

const focusedFieldName = (page: Page) => page.evaluate('document.activeElement.name')

/** Returns the accessible description of a field. */
const descriptionOf = (page: Page, label: string) =>
  page.getByLabel(label).evaluate((field) =>
    (field.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent)
      .filter(Boolean)
      .join(' '),
  )
