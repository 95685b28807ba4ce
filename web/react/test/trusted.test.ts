import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { open } from './chromium.ts'
import { pagePolicy, serveWidgets, type WidgetFixture } from './stored.ts'

const trusted = (
  id: number,
  code: WidgetFixture['code'],
  rest: Partial<WidgetFixture> = {},
): WidgetFixture => ({
  id,
  trust: 'trusted',
  html: '<p>drawn</p>',
  ...(code && { code }),
  ...rest,
})

/** Opens a page that shows the widget. */
async function show(widget: WidgetFixture, props?: unknown) {
  const server = await serveWidgets(widget)
  const { page, requests } = await open('fixture-code.tsx', pagePolicy, server.paths)
  await page.evaluate(([id, props]) => window.codeFixture.draw({ id, props, version: 'latest' }), [
    widget.id,
    props,
  ] as const)
  return { page, requests, server }
}

const logOf = (page: Page) => page.evaluate(() => window.log)
/** Waits until the widgets have recorded at least `length` values, and returns all values. */
const waitForLog = async (page: Page, length: number) => {
  await page.waitForFunction((length) => window.log.length >= length, length)
  return logOf(page)
}

const placeholder = (id: string) => `<div id="${id}" class="added-widget-container"></div>`
const logEntry = (text: string) => `log.push('${text}')`

describe('hooks', () => {
  const steps = {
    functions: [
      { name: 'first', code: `this.first = () => 'one'; ${logEntry('functions')}` },
      { name: 'second', code: `this.second = () => this.first() + 'two'` },
    ],
    dependency: `await null; ${logEntry('dependency')}`,
    beforeRender: `await new Promise((done) => setTimeout(done, 5)); ${logEntry('beforeRender')}`,
    mountChild: `${logEntry('mountChild')}`,
    afterRender: `${logEntry('afterRender')}; log.push(this.second())`,
    js: logEntry('js'),
    update: logEntry('update'),
  }
  const child = trusted(2, {
    beforeRender: logEntry('child beforeRender'),
    afterRender: logEntry('child afterRender'),
    js: logEntry('child js'),
  })

  test('hooks run in order, each awaited, and js runs for the main widget only', async () => {
    const { page } = await show(
      trusted(1, steps, { html: placeholder('a'), children: [{ wrapper: 'a', widget: child }] }),
    )
    expect(await waitForLog(page, 9)).toEqual([
      'functions',
      'dependency',
      'beforeRender',
      'mountChild',
      'child beforeRender',
      'child afterRender',
      'afterRender',
      'onetwo',
      'js',
    ])
  })

  test('afterRender runs exactly once per render', async () => {
    const { page } = await show(
      trusted(1, {
        beforeRender: `await this.render(); ${logEntry('rendered')}`,
        afterRender: logEntry('after'),
        js: `${logEntry('js')}; await this.render(); ${logEntry('end')}`,
      }),
    )
    expect(await waitForLog(page, 5)).toEqual(['after', 'rendered', 'js', 'after', 'end'])
  })

  test('hooks receive the props as data and the tsccs object of the application', async () => {
    const { page } = await show(
      trusted(1, { afterRender: 'log.push(this.data.name, typeof tsccs.query, this.widgetType)' }),
      { name: 'weft' },
    )
    expect(await waitForLog(page, 3)).toEqual(['weft', 'function', 'the_element_name'])
  })

  test.each([
    { code: 'throw new Error("out of range")', message: 'Error: out of range' },
    { code: 'const = 1', message: "Error: Unexpected token '='" },
    { code: 'throw "a text"', message: 'Error: a text' },
    { code: 'await Promise.reject(new Error("later"))', message: 'Error: later' },
  ])(
    'the error of a failing hook is shown under the name of the hook: $code',
    async ({ code, message }) => {
      const { page } = await show(
        trusted(1, { beforeRender: code, js: logEntry('js') }, { html: '<p id="rest">rest</p>' }),
      )
      const box = page.getByRole('alert')
      await box.waitFor()
      expect(await box.locator('strong').textContent()).toBe('beforeRender')
      expect(await box.locator('p').textContent()).toMatch(message)
      await waitForLog(page, 1)
      expect(await page.locator('#rest').textContent()).toBe('rest')
      expect(await page.evaluate(() => window.codeFixture.failures)).toEqual([
        expect.stringMatching(/^beforeRender: /),
      ])
    },
  )

  test('the error of a hook disappears when the hook succeeds', async () => {
    const { page } = await show(
      trusted(1, {
        afterRender:
          'globalThis.tried ??= 0; if (tried++ === 0) throw new Error("once"); log.push(this)',
      }),
    )
    await page.getByText('Error: once').waitFor()
    await page.evaluate(() => window.codeFixture.draw({ id: 1, version: 'latest', props: 'other' }))
    await page.getByText('Error: once').waitFor({ state: 'detached' })
  })
})

describe('children', () => {
  // A parent that renders while its children start must not discard them.
  test.each([0, 1, 20])(
    'children survive a render of the parent %i ms after they started',
    async (wait) => {
      const slow = trusted(
        2,
        {
          beforeRender: `await new Promise((done) => setTimeout(done, 10)); ${logEntry('child')}`,
          afterRender: `this.getElementById('n').textContent = 'ready'; ${logEntry('child ready')}`,
        },
        { html: '<b id="n">waiting</b>' },
      )
      const { page } = await show(
        trusted(
          1,
          { beforeRender: `setTimeout(() => { this.render(); ${logEntry('rendered')} }, ${wait})` },
          { html: `<h2>head</h2>${placeholder('a')}`, children: [{ wrapper: 'a', widget: slow }] },
        ),
      )
      await waitForLog(page, 3)
      expect(await page.locator('#a > [data-widget="2"] #n').textContent()).toBe('ready')
      expect(await page.locator('#n').count()).toBe(1)
    },
  )

  test('the documentation button of a child remains when the parent is drawn again', async () => {
    const html = '<div id="a" class="added-widget-container"></div>'
    const { page } = await show({
      id: 1,
      trust: 'trusted',
      html,
      code: { html, js: 'window.redraw = () => this.render()' },
      children: [
        { wrapper: 'a', widget: { id: 2, name: 'child', html: '<b>child</b>', documented: true } },
      ],
    })
    const button = page.getByRole('button', { name: 'Documentation of child' })
    await button.waitFor()
    await page.waitForFunction('window.redraw')
    await page.evaluate('window.redraw()')
    await expect.poll(() => button.count()).toBe(1)
    await button.click()
    await page.getByRole('dialog').waitFor()
  })

  test('children keep their state when the parent is drawn again', async () => {
    const child = trusted(2, { afterRender: logEntry('child') }, { html: '<input id="field">' })
    const { page } = await show(
      trusted(
        1,
        {
          js: `this.getElementById('field').value = 'typed'; this.getElementById('field').focus(); await this.render(); ${logEntry('done')}`,
        },
        { html: placeholder('a'), children: [{ wrapper: 'a', widget: child }] },
      ),
    )
    expect(await waitForLog(page, 2)).toEqual(['child', 'done'])
    expect(await page.locator('#a #field').inputValue()).toBe('typed')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('field')
  })

  test('a child without code stays sanitised inside a parent with code', async () => {
    const staticChild: WidgetFixture = {
      id: 2,
      html: '<p>still</p><img src=x onerror="log.push(1)">',
      css: 'p { color: rgb(1, 2, 3) }',
    }
    const { page } = await show(
      trusted(
        1,
        { afterRender: logEntry('after') },
        { html: placeholder('a'), children: [{ wrapper: 'a', widget: staticChild }] },
      ),
    )
    expect(await waitForLog(page, 1)).toEqual(['after'])
    expect(await page.locator('#a [data-widget="2"]').innerHTML()).toBe('<p>still</p><img>')
    expect(await page.evaluate("getComputedStyle(document.querySelector('#a p')).color")).toBe(
      'rgb(1, 2, 3)',
    )
  })

  test('a scripted child mounts inside a static parent', async () => {
    const child = trusted(2, {
      afterRender: 'this.element.append("runs"); log.push(this.parentWidget === undefined)',
      js: logEntry('js'),
    })
    const { page } = await show({
      id: 1,
      html: `<p>still</p>${placeholder('a')}`,
      children: [{ wrapper: 'a', widget: child }],
    })
    expect(await waitForLog(page, 1)).toEqual([true])
    expect(await page.locator('[data-widget="1"] #a [data-widget="2"]').textContent()).toBe(
      'drawnruns',
    )
    expect(await logOf(page)).toEqual([true])
  })

  test('components in slots keep their state when the widget is drawn again', async () => {
    const { paths } = await serveWidgets(
      trusted(
        1,
        {
          functions: [{ name: 'redraw', code: 'globalThis.redraw = () => this.render()' }],
          afterRender: logEntry('after'),
        },
        { html: placeholder('place') },
      ),
    )
    const { page } = await open('fixture-code.tsx', pagePolicy, paths)
    await page.evaluate(() => window.codeFixture.draw({ id: 1 }, 'slots'))
    await waitForLog(page, 1)
    await page.getByRole('button', { name: 'pressed 0' }).click()
    await page.evaluate('redraw()')
    await page.locator('#place').getByRole('button', { name: 'pressed 1' }).click()
    await page.getByRole('button', { name: 'pressed 2' }).waitFor()
  })
})

describe('data and state', () => {
  test('setState notifies listeners only when the data has changed', async () => {
    const { page } = await show(
      trusted(1, {
        js: `
          const seen = []
          const same = { a: 1 }
          const stop = this.dataChange((value) => seen.push(value))
          this.setState(same); this.setState(same)
          this.setStateProperty({ title: 'x' }); this.setStateProperty({ title: 'x' })
          this.notify('said')
          stop()
          this.setState({})
          log.push(seen.length, seen[0] === same, this.title, seen[2])`,
      }),
    )
    expect(await waitForLog(page, 4)).toEqual([3, true, 'x', 'said'])
  })

  test('setWidgetState reaches all descendants and draws only them again', async () => {
    const leaf = trusted(3, { afterRender: `log.push('leaf ' + this.getWidgetState('k', 'none'))` })
    const middle = trusted(
      2,
      { afterRender: `log.push('middle ' + this.getWidgetState('k', 'none'))` },
      {
        html: placeholder('b'),
        children: [{ wrapper: 'b', widget: leaf }],
      },
    )
    const { page } = await show(
      trusted(
        1,
        {
          beforeRender: `this.setWidgetState('k', 'early')`,
          afterRender: `log.push('main')`,
          js: `this.setWidgetState('k', 'late'); log.push(this.getWidgetState('k'), this.getWidgetState('none', 'fallback'))`,
        },
        { html: placeholder('a'), children: [{ wrapper: 'a', widget: middle }] },
      ),
    )
    const log = await waitForLog(page, 7)
    expect(log.slice(0, 3)).toEqual(['leaf early', 'middle early', 'main'])
    expect(log.slice(3).sort()).toEqual(['fallback', 'late', 'leaf late', 'middle late'])
  })

  test('UpdateChildData replaces the data of a child, and calls its render and update', async () => {
    const child = trusted(2, {
      afterRender: `log.push('after ' + this.data)`,
      update: `log.push('update ' + this.data)`,
    })
    const { page } = await show(
      trusted(
        1,
        { js: `this.UpdateChildData('new', this.childWidgets[0])` },
        {
          html: placeholder('a'),
          children: [{ wrapper: 'a', widget: child }],
        },
      ),
      'old',
    )
    expect(await waitForLog(page, 3)).toEqual(['after old', 'after new', 'update new'])
  })

  test('notify calls listeners, and stores the value in childrenData of the parent by its type', async () => {
    const child = trusted(2, {
      js: '',
      functions: [
        {
          name: 'notifyItem',
          code: `globalThis.notifyItem = () => this.notify({ id: 5, type: 'the_item' })`,
        },
      ],
    })
    const { page } = await show(
      trusted(
        1,
        {
          js: `this.childWidgets[0].dataChange((value) => log.push(value.id)); notifyItem(); log.push(Object.keys(this.childrenData)); this.notify({ up: 1 })`,
        },
        {
          html: placeholder('a'),
          children: [{ wrapper: 'a', widget: child }],
        },
      ),
    )
    expect(await waitForLog(page, 2)).toEqual([5, ['the_item']])
    expect(await page.evaluate(() => window.codeFixture.notices)).toEqual([{ up: 1 }])
  })

  test('new props cause a render and an update', async () => {
    const { page } = await show(
      trusted(1, {
        afterRender: `log.push('after ' + this.data.n)`,
        update: `log.push('update ' + this.data.n)`,
      }),
      { n: 1 },
    )
    await waitForLog(page, 1)
    await page.evaluate(() =>
      window.codeFixture.draw({ id: 1, version: 'latest', props: { n: 1 } }),
    )
    await page.evaluate(() =>
      window.codeFixture.draw({ id: 1, version: 'latest', props: { n: 2 } }),
    )
    expect(await waitForLog(page, 3)).toEqual(['after 1', 'after 2', 'update 2'])
  })

  test('setState, setWidgetState and notify cannot change prototypes', async () => {
    const { page } = await show(
      trusted(1, {
        js: `this.setStateProperty(JSON.parse('{"__proto__": {"polluted": 1}}')); this.setWidgetState('__proto__', { polluted: 1 }); this.notify({ type: '__proto__' }); log.push(({}).polluted === undefined, this.polluted === undefined)`,
      }),
    )
    expect(await waitForLog(page, 2)).toEqual([true, true])
  })
})

describe('styles', () => {
  test('CSS is scoped to its widget, may be nested, and matches the placeholder by its id', async () => {
    const child = trusted(
      2,
      {
        css: '#a { outline-style: dotted } .x { & b { color: rgb(1, 1, 1) } } #a .y { color: rgb(2, 2, 2) }',
      },
      {
        html: '<div class="x"><b>b</b></div><i class="y">i</i>',
      },
    )
    const { page } = await show(
      trusted(
        1,
        { css: 'h2 { color: rgb(3, 3, 3) }', js: logEntry('js') },
        {
          html: `<h2>h</h2>${placeholder('a')}<b class="x">out</b>`,
          children: [{ wrapper: 'a', widget: child }],
        },
      ),
    )
    await waitForLog(page, 1)
    const style = (selector: string, property: string) =>
      page.evaluate(
        ([s, p]) => getComputedStyle(document.querySelector(s) as Element).getPropertyValue(p),
        [selector, property] as const,
      )
    expect(await style('#a', 'outline-style')).toBe('dotted')
    expect(await style('#a b', 'color')).toBe('rgb(1, 1, 1)')
    expect(await style('#a .y', 'color')).toBe('rgb(2, 2, 2)')
    expect(await style('h2', 'color')).toBe('rgb(3, 3, 3)')
    expect(await style('b.x', 'color')).toBe('rgb(0, 0, 0)')
  })
})

describe('libraries', () => {
  test('libraries are loaded once, before the code, and removed after their last use', async () => {
    const server = await serveWidgets()
    let loads = 0
    const library =
      (text: string, type: string) => (response: import('node:http').ServerResponse) => {
        loads++
        response
          .writeHead(200, { 'Content-Type': type, 'Access-Control-Allow-Origin': '*' })
          .end(text)
      }
    const { page } = await open('fixture-code.tsx', pagePolicy, {
      ...server.paths,
      '/one.js': library('globalThis.order = ["one"]', 'text/javascript'),
      '/two.js': library('order.push("two")', 'text/javascript'),
      '/look.css': library('.lib { color: rgb(9, 9, 9) }', 'text/css'),
    })
    const { origin } = new URL(page.url())
    const scripts = [`${origin}/one.js`, `${origin}/two.js`]
    const using = (id: number) =>
      trusted(id, {
        scripts,
        styles: [`${origin}/look.css`],
        beforeRender:
          'log.push(order.join(), document.querySelectorAll("head > link, head > script[crossorigin]").length)',
      })
    server.publish(1, {
      id: 1,
      html: placeholder('a') + placeholder('b'),
      children: [
        { wrapper: 'a', widget: using(2) },
        { wrapper: 'b', widget: using(3) },
      ],
    })
    await page.evaluate(() => window.codeFixture.draw({ id: 1 }))
    expect(await waitForLog(page, 4)).toEqual(['one,two', 3, 'one,two', 3])
    expect(loads).toBe(3)
    await page.evaluate(() => window.codeFixture.unmount())
    expect(await page.locator('head > link, head > script[crossorigin]').count()).toBe(0)
  })

  test('a library that fails to load is named in the error', async () => {
    const server = await serveWidgets()
    const { page } = await open('fixture-code.tsx', pagePolicy, server.paths)
    const { origin } = new URL(page.url())
    server.publish(1, trusted(1, { scripts: [`${origin}/gone.js`], js: logEntry('js') }))
    await page.evaluate(() => window.codeFixture.draw({ id: 1 }))
    await page.getByText(`Error: Failed to load script: ${origin}/gone.js`).waitFor()
    expect(await waitForLog(page, 1)).toEqual(['js'])
  })
})

test('unmounting removes all styles, listeners and elements of a widget', async () => {
  const child = trusted(2, {
    css: 'p { color: red }',
    js: '',
    afterRender: `addEventListener('ping', () => log.push('child received ping'), { signal: this.signal })`,
  })
  const { page } = await show(
    trusted(
      1,
      {
        css: 'h2 { color: red }',
        afterRender: `this.signal.addEventListener('abort', () => log.push('ended')); addEventListener('ping', () => log.push('received ping'), { signal: this.signal })`,
        js: `globalThis.endedWidget = this; ${logEntry('js')}`,
      },
      { html: placeholder('a'), children: [{ wrapper: 'a', widget: child }] },
    ),
  )
  await waitForLog(page, 1)
  expect(await page.evaluate('document.adoptedStyleSheets.length')).toBeGreaterThan(0)
  await page.evaluate(() => window.codeFixture.unmount())
  await page.evaluate(() => dispatchEvent(new Event('ping')))
  expect(await logOf(page)).toEqual(['js', 'ended'])
  expect(await page.evaluate('document.adoptedStyleSheets.length')).toBe(0)
  expect(await page.evaluate('endedWidget.childWidgets.length')).toBe(0)
  expect(await page.locator('main').innerHTML()).toBe('')
})

describe('versions', () => {
  test('a newer version replaces the version that is shown and keeps its state', async () => {
    const version = (id: number, text: string): WidgetFixture =>
      trusted(
        id,
        {
          js: `this.state.count = (this.state.count ?? 0) + 1; this.signal.addEventListener('abort', () => log.push('${text} ended')); log.push('${text} ' + this.state.count)`,
          css: `h2 { order: ${id} }`,
        },
        { html: `<h2>${text}</h2>`, root: 1 },
      )
    const { page, server } = await show(version(1, 'first'))
    await waitForLog(page, 1)
    server.publish(1, version(7, 'second'))
    await page.getByRole('heading', { name: 'second' }).waitFor()
    expect(await waitForLog(page, 3)).toEqual(['first 1', 'first ended', 'second 2'])
    expect(await page.locator('h2').count()).toBe(1)
    expect(
      await page.evaluate(
        "Array.from(document.adoptedStyleSheets, (s) => s.cssRules[0].cssText).join().includes('order: 1')",
      ),
    ).toBe(false)
  })

  test('a newer version of a nested widget is shown', async () => {
    const inner = (text: string): WidgetFixture => ({ id: 2, root: 20, html: `<p>${text}</p>` })
    const outer = (text: string): WidgetFixture => ({
      id: 1,
      html: placeholder('a'),
      children: [{ wrapper: 'a', widget: inner(text) }],
    })
    const { page, server } = await show(outer('old'))
    await page.getByText('old').waitFor()
    server.publish(1, outer('new'))
    await page.getByText('new').waitFor()
  })

  test('a version with the same content changes nothing', async () => {
    const { page, server } = await show({ id: 1, html: '<p>same</p>' })
    await page.getByText('same').waitFor()
    await page.evaluate(() => Object.assign(window, { element: document.querySelector('p') }))
    const before = server.requests.length
    server.publish(1, { id: 1, html: '<p>same</p>' })
    await expect.poll(() => server.requests.length).toBeGreaterThan(before)
    expect(await page.evaluate("document.querySelector('p') === element")).toBe(true)
  })
})

test('an application can extend Widget', async () => {
  const { page } = await open('fixture-code.tsx', pagePolicy)
  const result = await page.evaluate(() => {
    const { Widget } = window.codeFixture
    class List extends Widget {
      override data: string[] = ['a']
      override getHtml() {
        return `<ul>${this.data.map((item) => `<li>${item}</li>`).join('')}</ul>`
      }
      override afterRender() {
        window.log.push(this.querySelectorAll('li').length)
      }
    }
    const list = new List()
    list.mount(document.body)
    list.setState(['a', 'b'])
    const html = list.element.outerHTML
    list.unmount()
    return [html, document.querySelectorAll('li').length, list.signal.aborted]
  })
  expect(result).toEqual([
    '<div class="mftsccs-marking-rendered"><ul><li>a</li><li>b</li></ul></div>',
    0,
    true,
  ])
  expect(await logOf(page)).toEqual([1, 2])
})
