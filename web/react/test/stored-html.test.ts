import { describe, expect, test } from 'vitest'
import { open } from './chromium.ts'

/** Stored HTML that would call `hit()`, request `/leak` or use an id of the page if it were shown unchanged. */
const hostile = [
  '<script>hit()</script>',
  '<img src=x onerror=hit()>',
  '<img src="nothing" srcset="//127.0.0.1:1/leak 2x" onload=hit()>',
  '<img src="https://127.0.0.1:1/leak.png">',
  '<img src="//127.0.0.1:1/leak.png">',
  '<img src="/\\127.0.0.1:1/leak.png">',
  '<svg onload=hit()><circle r="5"/></svg>',
  '<svg><script>hit()</script></svg>',
  '<svg><animate onbegin=hit() attributeName=x dur=1s></animate></svg>',
  '<svg><a><animate attributeName=href values=javascript:hit() /><text y=20>press</text></a></svg>',
  '<svg><foreignObject><img src=x onerror=hit()></foreignObject></svg>',
  '<svg><use href="/leak.svg#a"/></svg>',
  '<svg><image href="/leak.png"/></svg>',
  '<svg><rect width=9 height=9 fill="url(/leak.svg#a)"/></svg>',
  '<svg><rect width=9 height=9 mask="u\\72l(/leak.svg#a)"/></svg>',
  '<svg><style>#outside{color:rgb(255,0,0)}</style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=hit()&gt;">',
  '<a id=press href="javascript:hit()">press</a>',
  '<a id=press href="JaVa\tScript:hit()">press</a>',
  '<a id=press href="&#106;avascript:hit()">press</a>',
  '<a id=press href="data:text/html,<script>opener.hit()</script>">press</a>',
  '<a id=press href="vbscript:hit()">press</a>',
  '<iframe srcdoc="<script>parent.hit()</script>"></iframe>',
  '<iframe src="/leak"></iframe>',
  '<object data="/leak"></object><embed src="/leak">',
  '<link rel=stylesheet href="/leak.css"><meta http-equiv=refresh content="0;/leak"><base href="//127.0.0.1:1/">',
  '<style>#outside{color:rgb(255,0,0)}</style>',
  '<div style="position:fixed;inset:0;background:url(/leak)">over everything</div>',
  '<form id=send action="https://127.0.0.1:1/leak"><button id=press>send</button></form>',
  '<button form=other formaction="https://127.0.0.1:1/leak" id=press>send</button>',
  '<input autofocus onfocus=hit()><details open ontoggle=hit()><summary>x</summary></details>',
  '<video src="/leak" onerror=hit() autoplay></video><audio src="/leak"></audio>',
  '<input type=image src="//127.0.0.1:1/leak">',
  '<body onload=hit()><p>text</p></body>',
  '<div id=app>mine</div><div id=weft-page>{}</div><p id="weft-status"></p>',
  '<form id=x><input name=attributes><input name=innerHTML></form>',
  '<img name=getElementById><form name=querySelector></form><a id=cookie></a>',
  '<template><img src=x onerror=hit()></template><slot name=x></slot>',
  '<x-widget is=y onclick=hit() id=press>press</x-widget>',
  '</div></div><script>hit()</script><div id=app>',
  '<p data-widget="1" class="added-widget-container">another widget?</p>',
  '<noscript><p title="</noscript><img src=x onerror=hit()>">',
]

describe('stored HTML cannot run code, load files, submit forms or use ids of the page', () => {
  test.each(hostile)('%s', async (html) => {
    const { page, requests } = await open(
      'fixture-widget.ts',
      '<div id="app"><p id="outside">outside</p></div>',
    )
    const start = page.url()
    await page.evaluate((html) => {
      Object.assign(window, { hits: 0, hit: () => Object.assign(window, { hits: 1 }) })
      window.widgetFixture.show({ id: 7, name: 'hostile', html, css: '' })
      document.addEventListener('submit', (event) => {
        event.preventDefault()
        if (!(event.target as HTMLFormElement).action.startsWith(location.origin)) window.hit()
      })
      for (const element of document.querySelectorAll('[data-widget="7"] *')) {
        element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
        if (element instanceof HTMLElement) element.focus()
      }
    }, html)
    await page.waitForTimeout(30)

    expect(page.url().replace(/[?#].*/, '')).toBe(start)
    expect(await page.evaluate('window.hits ?? 0')).toBe(0)
    expect(requests.filter((address) => /leak|:1\//.test(address))).toEqual([])
    expect(await page.evaluate("document.getElementById('app').firstElementChild.id")).toBe(
      'outside',
    )
    expect(await page.evaluate('typeof document.getElementById + typeof document.cookie')).toBe(
      'functionstring',
    )
    expect(await colorOf(page, '#outside')).toBe('rgb(0, 0, 0)')
    const sanitized = await page.evaluate((html) => window.widgetFixture.sanitizedHtml(html), html)
    expect(sanitized).not.toMatch(
      /<(script|style|iframe|object|embed|link|meta|base|template|video|audio|foreignobject|animate|image)\b/i,
    )
    expect(sanitized).not.toMatch(/\s(on\w+|style|srcset|formaction|is|data-widget)=/i)
    expect(sanitized).not.toMatch(/\s(id|name)="?(app|root|weft-)/i)
    expect(sanitized).not.toMatch(/javascript:|vbscript:|data:text/i)
  })
})

describe('the sanitiser keeps', () => {
  test.each([
    '<h2 class="a" id="chapter">Title</h2>',
    '<a href="/about">About</a><a href="#chapter">part</a><a href="mailto:a@b.example">mail</a>',
    '<img alt="dot" src="/dot.png">',
    '<img alt="dot" src="data:image/png;base64,iVBORw0KGgo=">',
    '<svg aria-hidden="true" viewBox="0 0 8 8"><path class="warp" d="M0 0h8"></path></svg>',
    '<form action="/find"><label for="q">Find</label><input name="q" id="q"></form>',
    '<ul><li tabindex="0">one</li></ul><pre><code>a  b</code></pre>',
    '<div id="site-header" class="added-widget-container"></div>',
  ])('%s', async (html) => {
    const { page } = await open('fixture-widget.ts')
    const [sanitized, expected] = await page.evaluate(
      ([html]) => [
        window.widgetFixture.sanitizedHtml(html),
        Object.assign(document.createElement('div'), { innerHTML: html }).innerHTML,
      ],
      [html] as const,
    )
    expect(sorted(sanitized)).toBe(sorted(expected))
  })

  /** Sorts attributes, whose order is irrelevant. */
  const sorted = (html: string) =>
    html.replace(
      /<(\w+)((?: [\w-]+="[^"]*")+)/g,
      (_, tag, attributes) =>
        `<${tag} ${attributes
          .match(/[\w-]+="[^"]*"/g)
          .sort()
          .join(' ')}`,
    )
})

describe('children', () => {
  test('are put into separate hosts in their placeholders; if two name the same placeholder, only the first is shown', async () => {
    const { page } = await open('fixture-widget.ts')
    await page.evaluate(() =>
      window.widgetFixture.show({
        id: 7,
        name: 'body',
        html: '<div id="foot" class="added-widget-container"><i>waiting</i></div><p id="other">other</p>',
        css: '',
        children: [
          { wrapper: 'foot', widget: { id: 8, name: 'foot', html: '<b>newest</b>' } },
          { wrapper: 'foot', widget: { id: 9, name: 'foot', html: 'older' } },
          { wrapper: 'other', widget: { id: 10, name: 'x', html: 'not a placeholder' } },
          { wrapper: 'nowhere', widget: { id: 11, name: 'x', html: 'no such place' } },
        ],
      }),
    )
    expect(await page.locator('[data-widget="7"]').innerHTML()).toBe(
      '<div id="foot" class="added-widget-container"><div data-widget="8"><b>newest</b></div></div><p id="other">other</p>',
    )
  })

  test('cannot paint over a more trusted parent', async () => {
    const { page } = await open('fixture-widget.ts')
    await page.evaluate(() =>
      window.widgetFixture.show({
        id: 7,
        name: 'body',
        trust: 'trusted',
        html: '<p id="ours">ours</p><div id="in" class="added-widget-container"></div>',
        css: '',
        children: [
          {
            wrapper: 'in',
            widget: {
              id: 8,
              name: 'over',
              html: '<p>over</p>',
              css: ':scope, p { position: fixed !important; inset: 0; margin: -999px; z-index: 9; contain: none !important }',
            },
          },
        ],
      }),
    )
    const idOnTop = await page.evaluate(() => {
      const { x, y } = document.getElementById('ours')?.getBoundingClientRect() ?? { x: 0, y: 0 }
      return document.elementFromPoint(x + 5, y + 5)?.id
    })
    expect(idOnTop).toBe('ours')
  })

  test('without a name are shown as invalid', async () => {
    const { page } = await open('fixture-widget.ts')
    await page.evaluate(() =>
      window.widgetFixture.show({ id: 7, name: 'undefined', html: '<p>x', css: '' }),
    )
    expect(await page.locator('[data-widget="7"] h4').textContent()).toBe(
      "Invalid or Widget doesn't exist",
    )
  })
})

const colorOf = (page: import('playwright-core').Page, selector: string) =>
  page.evaluate(
    (selector) => getComputedStyle(document.querySelector(selector) as Element).color,
    selector,
  )
