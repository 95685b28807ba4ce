import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { open } from './chromium.ts'

const folder = join(import.meta.dirname, '../../../vectors/widget')

test('stored widgets look as the server draws them', async () => {
  const files = readdirSync(folder)
  expect(files).not.toEqual([])
  const { page } = await open('in-widget.ts')
  for (const file of files) {
    const { name, given, want } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    if ('stored' in given) continue // the server reads those
    const drawn = await page.evaluate(draw, { given, html: want.html })
    expect.soft(drawn, name).toEqual(want)
  }
}, 60_000)

/** Runs in the page. The HTML wanted comes back as it was written when the elements are equal. */
function draw({ given, html }: { given: unknown; html: string }) {
  document.body.replaceChildren()
  document.adoptedStyleSheets = []
  window.inWidget.show(given)
  const host = document.querySelector('[data-widget]')
  const wanted = document.createElement('div')
  wanted.setAttribute('data-widget', '1')
  wanted.innerHTML = html
  const scopes = document.adoptedStyleSheets.flatMap((sheet) => Array.from(sheet.cssRules))
  return {
    html: host?.isEqualNode(wanted) ? html : host?.innerHTML,
    styled: scopes.flatMap((rule) =>
      rule instanceof CSSScopeRule ? Number(/\d+/.exec(rule.start ?? '')?.[0]) : [],
    ),
  }
}
