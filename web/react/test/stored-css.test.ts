import { describe, expect, test } from 'vitest'
import { open } from './chromium.ts'

const body = `<body><p id="outside">outside</p>
  <div data-widget="7"><p id="inside">inside</p><div data-widget="8"><p id="deeper">deeper</p></div></div>
  <p id="after">after</p></body>`

const red = 'color: rgb(255, 0, 0)'

/** Stored CSS that would colour an element outside the widget or load `/leak` if it were applied unchanged. */
const hostile = [
  `} #outside { ${red} }`,
  `}}}} body, #outside { ${red} } @media all {`,
  `p { color: blue } } body * { ${red} } .x {`,
  `/* } */ } #outside { ${red} } /*`,
  `a { content: "} #outside { ${red} }`,
  `#inside { color: blue; } </style><style>#outside { ${red} }`,
  `:root, html, body, :root body #outside { ${red} }`,
  `:scope + #after, :scope ~ #after { ${red} }`,
  `body:has(:scope) #outside { ${red} }`,
  `@scope (html) { #outside { ${red} } }`,
  `@scope (html) { :scope p { ${red} } }`,
  `@layer base { #outside { ${red} } }`,
  `@media all { } } #outside { ${red} } @media all {`,
  `@namespace x url(/leak); @charset "x"; #outside { ${red} }`,
  '@import "/leak.css"; @import url(/leak.css);',
  '#inside { background: url(//127.0.0.1:1/leak) }',
  '#inside { background: url("https://127.0.0.1:1/leak.png") }',
  '#inside { background-image: image-set("https://127.0.0.1:1/leak.png" 1x) }',
  '#inside { background: u\\72l(https://127.0.0.1:1/leak) }',
  '#inside { --x: url(https://127.0.0.1:1/leak); background: var(--x) }',
  '#inside { --x: u\\72l(https://127.0.0.1:1/leak); background: var(--x) }',
  '#inside { background: u\\72 l(https://127.0.0.1:1/leak) var(--none,) }',
  '#inside { --x: "https://127.0.0.1:1/leak"; background: image-set(var(--x) 1x) }',
  '#inside { cursor: url(https://127.0.0.1:1/leak), auto; list-style: url(//127.0.0.1:1/leak) }',
  '#inside { & { background: url(https://127.0.0.1:1/leak) } @media all { background: url(//127.0.0.1:1/leak) } }',
  '@keyframes k { from, to { background: url(https://127.0.0.1:1/leak) } } #inside { animation: k 1s infinite }',
  '@font-face { font-family: x; src: url(https://127.0.0.1:1/leak) } #inside { font-family: x }',
  '@property --y { syntax: "<color>"; inherits: true; initial-value: red } ',
  '#inside::before { content: url(https://127.0.0.1:1/leak) }',
  '#inside { filter: url(https://127.0.0.1:1/leak#f); mask: url(https://127.0.0.1:1/leak) }',
]

describe('stored CSS stays inside its widget and loads nothing from elsewhere', () => {
  test.each(hostile)('%s', async (css) => {
    const { page, requests } = await open('fixture-widget.ts', body)
    await page.evaluate((css) => window.widgetFixture.applyScoped(css, 7), css)
    await page.waitForTimeout(30)
    for (const id of ['outside', 'after']) {
      expect(
        await page.evaluate(
          (id) => getComputedStyle(document.getElementById(id) as Element).color,
          id,
        ),
      ).toBe('rgb(0, 0, 0)')
    }
    expect(requests).toEqual([])
  })
})

describe('stored CSS may', () => {
  const cases = [
    { name: 'color elements inside', css: `p { ${red} }`, want: 'rgb(255, 0, 0)' },
    { name: 'contain nested rules', css: `:scope { & p { ${red} } }`, want: 'rgb(255, 0, 0)' },
    {
      name: 'contain media queries',
      css: `@media (min-width: 1px) { p { ${red} } }`,
      want: 'rgb(255, 0, 0)',
    },
    {
      name: 'contain feature queries',
      css: `@supports (display: grid) { p { ${red} } }`,
      want: 'rgb(255, 0, 0)',
    },
    {
      name: 'use variables',
      css: 'p { --c: rgb(255, 0, 0); color: var(--c) }',
      want: 'rgb(255, 0, 0)',
    },
    {
      name: 'animate',
      css: `@keyframes k { from, to { ${red} } } p { animation: k 9s infinite }`,
      want: 'rgb(255, 0, 0)',
    },
    { name: 'be malformed', css: 'p { color: ; colour } }}} p {', want: 'rgb(0, 0, 0)' },
    { name: 'be empty', css: '', want: 'rgb(0, 0, 0)' },
  ]
  test.each(cases)('$name', async ({ css, want }) => {
    const { page } = await open('fixture-widget.ts', body)
    await page.evaluate((css) => window.widgetFixture.applyScoped(css, 7), css)
    expect(await page.evaluate("getComputedStyle(document.getElementById('inside')).color")).toBe(
      want,
    )
  })

  test('show images of this site and data URLs', async () => {
    const { page, requests } = await open('fixture-widget.ts', body)
    const css =
      '#inside { background: url(/thread.png), url("data:image/gif;base64,R0lGODlhAQABAAAAACw=") }'
    await page.evaluate((css) => window.widgetFixture.applyScoped(css, 7), css)
    await expect
      .poll(() => requests.filter((address) => address.endsWith('/thread.png')).length)
      .toBe(1)
  })
})

test('the parts of the CSS that the server left out are written to the console, for the author', async () => {
  const { page } = await open('fixture-widget.ts', body)
  const warnings: string[] = []
  page.on('console', (message) => warnings.push(`${message.type()}: ${message.text()}`))
  const child = { id: 2, name: 'Inner', warnings: ['CSS at byte 0: @layer is not allowed'] }
  const widget = {
    id: 1,
    name: 'Outer',
    warnings: ['CSS at byte 0: @import is not allowed', 7],
    children: [{ wrapper: 'w', widget: child }],
  }
  await page.evaluate((json) => window.widgetFixture.show(json), widget)
  expect(warnings).toEqual([
    'warning: Widget 1 (Outer): CSS at byte 0: @import is not allowed',
    'warning: Widget 2 (Inner): CSS at byte 0: @layer is not allowed',
  ])
})
