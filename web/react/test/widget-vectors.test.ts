import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { open } from './chromium.ts'

const folder = join(import.meta.dirname, '../../../spec/widget')

test('the browser renders stored widgets as the server does', async () => {
  const files = readdirSync(folder)
  expect(files).not.toEqual([])
  const { page } = await open('fixture-widget.ts')
  for (const file of files) {
    const { name, given, want } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    if ('stored' in given) continue // these cases test reading on the server
    const rendered = await page.evaluate(render, { given, html: want.html })
    expect.soft(rendered, name).toEqual(want)
  }
})

test('sanitising a rendered widget again does not change it', async () => {
  const { page } = await open('fixture-widget.ts')
  for (const file of readdirSync(folder)) {
    const { name, given, want } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    if ('stored' in given || given.children.length > 0) continue
    const sanitized = { ...given, html: want.html }
    const rendered = await page.evaluate(render, { given: sanitized, html: want.html })
    expect.soft(rendered.html, name).toBe(want.html)
  }
})

/**
 * Shows a widget in the page. Returns the expected HTML when the elements are equal, otherwise the actual HTML, and the
 * ids of the widgets that have a style sheet.
 */
function render({ given, html }: { given: unknown; html: string }) {
  document.body.replaceChildren()
  document.adoptedStyleSheets = []
  window.widgetFixture.show(given)
  const host = document.querySelector('[data-widget]')
  const expected = document.createElement('div')
  expected.setAttribute('data-widget', '1')
  expected.innerHTML = html
  const scopes = document.adoptedStyleSheets.flatMap((sheet) => Array.from(sheet.cssRules))
  return {
    html: host?.isEqualNode(expected) ? html : host?.innerHTML,
    styled: scopes.flatMap((rule) =>
      rule instanceof CSSScopeRule ? Number(/\d+/.exec(rule.start ?? '')?.[0]) : [],
    ),
  }
}
