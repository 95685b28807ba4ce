import type { ServerResponse } from 'node:http'
import { createClient } from '@weft/client'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { accessibilityViolations } from './axe.ts'
import { open } from './chromium.ts'

describe('a field', () => {
  test.each([
    ['<input name="f" required>', '', 'The field f is required.'],
    ['<input name="f" required="true">', '', 'The field f is required.'],
    ['<input name="f" required="false">', '', ''],
    [
      '<textarea name="f" minlength="3"></textarea>',
      'ab',
      'Length must be at least 3 characters long',
    ],
    [
      '<input name="f" maxlength="2" value="abc">',
      undefined,
      'Length exceeds the maximum length of 2',
    ],
    ['<input name="f" min="5" datatype="number">', '4', 'Value must be greater than or equal to 5'],
    ['<input name="f" max="5">', '6', 'Value must be less than or equal to 5'],
    [
      '<input name="f" pattern="^z" datatype="number">',
      'ab',
      "Invalid value for number↵Pattern doesn't match with value",
    ],
    ['<input name="f" datatype="email">', 'a@b.co', ''],
    [
      '<input name="f" file accept=".png,.jpg">',
      'a.gif',
      'File must be a valid file type: png, jpg',
    ],
    ['<input name="f" fieldtype="file" accept="true">', 'a.gif', ''],
    ['<input name="f" pattern="([">', 'x', 'Validation failed. Please try again.'],
    ['<input name="f" type="checkbox" required>', undefined, 'The field f is required.'],
    ['<input name="f" type="checkbox" required checked>', undefined, ''],
    [
      '<select name="f" required><option value="">choose</option><option>a</option></select>',
      undefined,
      'The field f is required.',
    ],
    ['<select name="f" required><option>a</option></select>', undefined, ''],
    [
      '<input name="f" type="radio" value="a"><input name="f" type="radio" value="b" checked>',
      undefined,
      '',
    ],
    [
      '<input name="f" type="radio" value="a" required><input name="f" type="radio" value="b">',
      undefined,
      'The field f is required.',
    ],
  ])('%s with the value %j shows "%s"', async (html, value, message) => {
    const { page } = await open('fixture-fields.ts', `<form>${html}</form>`)
    const field = page.locator('[name=f]').first()
    if (value !== undefined) await field.fill(value)
    const isValid = await field.evaluate((element) =>
      window.fieldsFixture.checkField(element as HTMLInputElement),
    )
    expect(isValid).toBe(message === '')
    expect(await errorsOf(page)).toEqual([message])
    expect(await field.getAttribute('class')).toBe(isValid ? 'valid' : 'invalid')
    expect(await field.getAttribute('aria-invalid')).toBe(String(!isValid))
  })

  test('with several files is validated for each file', async () => {
    const { page } = await open(
      'fixture-fields.ts',
      '<form><input type="file" name="f" multiple accept=".png"></form>',
    )
    const check = () =>
      page.evaluate(() =>
        window.fieldsFixture.checkField(document.querySelector('input') ?? undefined),
      )
    const file = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from('') })
    await page.locator('input').setInputFiles([file('a.png'), file('b.gif'), file('c.gif')])
    expect(await check()).toBe(false)
    expect(await errorsOf(page)).toEqual(['File must be a valid file type: png'])
    await page.locator('input').setInputFiles([file('a.png')])
    expect(await check()).toBe(true)
  })

  test('gets one red message element, added to its aria-describedby', async () => {
    const { page } = await open(
      'fixture-fields.ts',
      '<form><label>Name <input name="f" required aria-describedby="hint"></label><p id="hint">yours</p></form>',
    )
    await page.evaluate(async () => {
      const field = document.querySelector('input') ?? undefined
      await window.fieldsFixture.checkField(field)
      await window.fieldsFixture.checkField(field)
    })
    const [messageElement] = await page.locator('label + .error-container[aria-live=polite]').all()
    expect(await page.locator('.error-container').count()).toBe(1)
    expect(await page.locator('input').getAttribute('aria-describedby')).toBe(
      `hint ${await messageElement?.getAttribute('id')}`,
    )
    expect(await messageElement?.evaluate((e) => getComputedStyle(e).color)).toBe(
      'rgb(179, 36, 63)',
    )
  })

  test('is by default the target of the current event', async () => {
    const { page } = await open('fixture-fields.ts', '<form><input name="f" required></form>')
    await page.evaluate(() => {
      const field = document.querySelector('input')
      if (field) field.onchange = () => void window.fieldsFixture.checkField()
      field?.dispatchEvent(new Event('change'))
    })
    await page.getByText('The field f is required.').waitFor()
    const refused = page.evaluate(() => window.fieldsFixture.checkField())
    await expect(refused).rejects.toThrow('the event has no form control as its target')
  })
})

describe('a form', () => {
  const html = `<title>Form</title><main><h1>Form</h1><form>
    <label for="n">Name</label><input id="n" name="name" required>
    <label for="m">Mail</label><input id="m" name="mail" datatype="email" typeconcept="email" unique="on">
    <button id="go">Go</button><button type="reset">Clear</button></form></main>`

  test('with invalid fields is not submitted and moves focus to the first of them', async () => {
    const { page } = await open('fixture-fields.ts', html)
    await page.evaluate(() => window.fieldsFixture.watch())
    await page.getByLabel('Mail').fill('nobody')
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByText('The field name is required.').waitFor()
    await page.getByText('Invalid value for email').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('n')
    expect(await page.evaluate(() => window.fieldsFixture.submitted)).toEqual([])
    expect(await accessibilityViolations(page)).toEqual([])

    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Mail').fill('ann@weft.example')
    await page.getByRole('button', { name: 'Go' }).click()
    await expect.poll(() => page.evaluate(() => window.fieldsFixture.submitted)).toEqual(['go'])
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByLabel('Name').fill('')
    expect(await page.locator('.valid, .invalid').count()).toBe(0)
  })

  test('shows an error when a field is left, and removes it when the value is valid', async () => {
    const { page } = await open('fixture-fields.ts', html)
    await page.evaluate(() => window.fieldsFixture.watch())
    await page.getByLabel('Mail').pressSequentially('ann@')
    expect(await errorsOf(page)).toEqual([''])
    await page.getByLabel('Mail').blur()
    await page.getByText('Invalid value for email').waitFor()
    await page.getByLabel('Mail').fill('ann@weft.example')
    await expect.poll(() => errorsOf(page)).toEqual([''])
  })

  test('asks the server whether a value is unique', async () => {
    const url = await startServer()
    const weft = createClient({ url, storage: 'memory' })
    await weft.create('the_person', { email: 'ann@weft.example' }).synced
    weft.close()
    const { page } = await open('fixture-fields.ts', html)
    await page.evaluate((url) => window.fieldsFixture.watch(url), url)
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Mail').fill('ann@weft.example')
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByText('Value is not unique').waitFor()
    await page.getByLabel('Mail').fill('bob@weft.example')
    await page.getByLabel('Mail').press('Enter')
    await expect.poll(() => page.evaluate(() => window.fieldsFixture.submitted)).toEqual(['go'])
  })

  test('ignores the uniqueness result of a value that has changed since', async () => {
    const pendingChecks: { readonly value: string | null; readonly response: ServerResponse }[] = []
    const { page } = await open('fixture-fields.ts', html, {
      '/taken': (response, url) =>
        pendingChecks.push({ value: url.searchParams.get('the_email'), response }),
    })
    const checksOf = (value: string) => pendingChecks.filter((check) => check.value === value)
    await page.evaluate(() => window.fieldsFixture.watch())
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Mail').fill('ann@weft.example')
    await page.getByLabel('Mail').press('Enter')
    // One check when the field is left, one when the form is submitted.
    await expect.poll(() => checksOf('ann@weft.example')).toHaveLength(2)
    await page.getByLabel('Mail').fill('bob@weft.example')
    await page.getByLabel('Mail').blur()
    await expect.poll(() => checksOf('bob@weft.example')).toHaveLength(1)
    for (const { response } of checksOf('bob@weft.example')) response.end('true')
    await page.getByText('Value is not unique').waitFor()
    for (const { response } of checksOf('ann@weft.example')) response.end('false')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('m')
    await page.getByText('Value is not unique').waitFor()
    expect(await page.evaluate(() => window.fieldsFixture.submitted)).toEqual([])
  })

  test('is not submitted when uniqueness cannot be checked', async () => {
    const { page } = await open('fixture-fields.ts', html)
    await page.evaluate(() => window.fieldsFixture.watch('http://127.0.0.1:1'))
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Mail').fill('ann@weft.example')
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByText('Validation failed. Please try again.').waitFor()
    expect(await page.evaluate(() => window.fieldsFixture.submitted)).toEqual([])
  })

  test('returns to browser validation after the watch is stopped', async () => {
    const { page } = await open('fixture-fields.ts', html)
    await page.evaluate(() => window.fieldsFixture.watch())
    expect(await page.evaluate('document.forms[0].noValidate')).toBe(true)
    await page.evaluate(() => window.fieldsFixture.stop())
    expect(await page.evaluate('document.forms[0].noValidate')).toBe(false)
    await page.evaluate('document.forms[0].noValidate = true')
    await page.getByRole('button', { name: 'Go' }).click()
    expect(await page.evaluate(() => window.fieldsFixture.submitted)).toEqual(['go'])
  })
})

/** Returns the contents of the message elements, with lines joined by an arrow. */
const errorsOf = (page: Page) =>
  page
    .locator('.error-container')
    .evaluateAll((elements) => elements.map((element) => element.innerHTML.replaceAll('<br>', '↵')))
