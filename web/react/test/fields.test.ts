import type { ServerResponse } from 'node:http'
import { createClient } from '@weft/client'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { faults } from './axe.ts'
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
  ])('%s with %j says "%s"', async (html, value, said) => {
    const { page } = await open('in-fields.ts', `<form>${html}</form>`)
    const field = page.locator('[name=f]').first()
    if (value !== undefined) await field.fill(value)
    const good = await field.evaluate((element) =>
      window.inFields.checkField(element as HTMLInputElement),
    )
    expect(good).toBe(said === '')
    expect(await errorsOf(page)).toEqual([said])
    expect(await field.getAttribute('class')).toBe(good ? 'valid' : 'invalid')
    expect(await field.getAttribute('aria-invalid')).toBe(String(!good))
  })

  test('of files is held against each of them', async () => {
    const { page } = await open(
      'in-fields.ts',
      '<form><input type="file" name="f" multiple accept=".png"></form>',
    )
    const check = () =>
      page.evaluate(() => window.inFields.checkField(document.querySelector('input') ?? undefined))
    const file = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from('') })
    await page.locator('input').setInputFiles([file('a.png'), file('b.gif'), file('c.gif')])
    expect(await check()).toBe(false)
    expect(await errorsOf(page)).toEqual(['File must be a valid file type: png'])
    await page.locator('input').setInputFiles([file('a.png')])
    expect(await check()).toBe(true)
  })

  test('has one place for its messages, red, which it is described by beside what it was before', async () => {
    const { page } = await open(
      'in-fields.ts',
      '<form><label>Name <input name="f" required aria-describedby="hint"></label><p id="hint">yours</p></form>',
    )
    await page.evaluate(async () => {
      const field = document.querySelector('input') ?? undefined
      await window.inFields.checkField(field)
      await window.inFields.checkField(field)
    })
    const [place] = await page.locator('label + .error-container[aria-live=polite]').all()
    expect(await page.locator('.error-container').count()).toBe(1)
    expect(await page.locator('input').getAttribute('aria-describedby')).toBe(
      `hint ${await place?.getAttribute('id')}`,
    )
    expect(await place?.evaluate((e) => getComputedStyle(e).color)).toBe('rgb(179, 36, 63)')
  })

  test('is the one the event happened to when none is named', async () => {
    const { page } = await open('in-fields.ts', '<form><input name="f" required></form>')
    await page.evaluate(() => {
      const field = document.querySelector('input')
      if (field) field.onchange = () => void window.inFields.checkField()
      field?.dispatchEvent(new Event('change'))
    })
    await page.getByText('The field f is required.').waitFor()
    const refused = page.evaluate(() => window.inFields.checkField())
    await expect(refused).rejects.toThrow('there is no field to check')
  })
})

describe('a form', () => {
  const html = `<title>Form</title><main><h1>Form</h1><form>
    <label for="n">Name</label><input id="n" name="name" required>
    <label for="m">Mail</label><input id="m" name="mail" datatype="email" typeconcept="email" unique="on">
    <button id="go">Go</button><button type="reset">Clear</button></form></main>`

  test('with fields that are wrong is submitted to nobody, and the first of them gets the focus', async () => {
    const { page } = await open('in-fields.ts', html)
    await page.evaluate(() => window.inFields.watch())
    await page.getByLabel('Mail').fill('nobody')
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByText('The field name is required.').waitFor()
    await page.getByText('Invalid value for email').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('n')
    expect(await page.evaluate(() => window.inFields.submitted)).toEqual([])
    expect(await faults(page)).toEqual([])

    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Mail').fill('ann@weft.example')
    await page.getByRole('button', { name: 'Go' }).click()
    await expect.poll(() => page.evaluate(() => window.inFields.submitted)).toEqual(['go'])
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByLabel('Name').fill('')
    expect(await page.locator('.valid, .invalid').count()).toBe(0)
  })

  test('says what is wrong when a field was left, and takes it back while it is corrected', async () => {
    const { page } = await open('in-fields.ts', html)
    await page.evaluate(() => window.inFields.watch())
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
    const { page } = await open('in-fields.ts', html)
    await page.evaluate((url) => window.inFields.watch(url), url)
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Mail').fill('ann@weft.example')
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByText('Value is not unique').waitFor()
    await page.getByLabel('Mail').fill('bob@weft.example')
    await page.getByLabel('Mail').press('Enter')
    await expect.poll(() => page.evaluate(() => window.inFields.submitted)).toEqual(['go'])
  })

  test('is not submitted for an answer to a value that changed meanwhile', async () => {
    const waiting: { readonly value: string | null; readonly answer: ServerResponse }[] = []
    const { page } = await open('in-fields.ts', html, {
      '/taken': (answer, url) => waiting.push({ value: url.searchParams.get('the_email'), answer }),
    })
    const asked = (value: string) => waiting.filter((question) => question.value === value)
    await page.evaluate(() => window.inFields.watch())
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Mail').fill('ann@weft.example')
    await page.getByLabel('Mail').press('Enter')
    // Leaving the field asks, and submitting asks again.
    await expect.poll(() => asked('ann@weft.example')).toHaveLength(2)
    await page.getByLabel('Mail').fill('bob@weft.example')
    await page.getByLabel('Mail').blur()
    await expect.poll(() => asked('bob@weft.example')).toHaveLength(1)
    for (const { answer } of asked('bob@weft.example')) answer.end('true')
    await page.getByText('Value is not unique').waitFor()
    for (const { answer } of asked('ann@weft.example')) answer.end('false')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('m')
    await page.getByText('Value is not unique').waitFor()
    expect(await page.evaluate(() => window.inFields.submitted)).toEqual([])
  })

  test('is not submitted when nobody can say whether a value is unique', async () => {
    const { page } = await open('in-fields.ts', html)
    await page.evaluate(() => window.inFields.watch('http://127.0.0.1:1'))
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Mail').fill('ann@weft.example')
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByText('Validation failed. Please try again.').waitFor()
    expect(await page.evaluate(() => window.inFields.submitted)).toEqual([])
  })

  test('is left alone once nobody watches any more', async () => {
    const { page } = await open('in-fields.ts', html)
    await page.evaluate(() => window.inFields.watch())
    expect(await page.evaluate('document.forms[0].noValidate')).toBe(true)
    await page.evaluate(() => window.inFields.stop())
    expect(await page.evaluate('document.forms[0].noValidate')).toBe(false)
    await page.evaluate('document.forms[0].noValidate = true')
    await page.getByRole('button', { name: 'Go' }).click()
    expect(await page.evaluate(() => window.inFields.submitted)).toEqual(['go'])
  })
})

/** What stands in the places for messages, lines joined by an arrow. */
const errorsOf = (page: Page) =>
  page
    .locator('.error-container')
    .evaluateAll((places) => places.map((place) => place.innerHTML.replaceAll('<br>', '↵')))
