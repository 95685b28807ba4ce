import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { open } from './chromium.ts'
import { type Given, pagePolicy, storing } from './stored.ts'

const trusted = (id: number, code: Given['code'], more: Partial<Given> = {}): Given => ({
  id,
  trust: 'trusted',
  html: '<p>drawn</p>',
  ...(code && { code }),
  ...more,
})

/** Opens a page that shows widget 1, and waits until it says that it is done. */
async function show(given: Given, props?: unknown) {
  const server = await storing(given)
  const { page, asked } = await open('in-code.tsx', pagePolicy, server.paths)
  await page.evaluate(([id, props]) => window.inCode.draw({ id, props, version: 'latest' }), [
    given.id,
    props,
  ] as const)
  return { page, asked, server }
}

const logOf = (page: Page) => page.evaluate(() => window.log)
/** Waits until widgets have written down so much. */
const logged = async (page: Page, length: number) => {
  await page.waitForFunction((length) => window.log.length >= length, length)
  return logOf(page)
}

const place = (id: string) => `<div id="${id}" class="added-widget-container"></div>`
const say = (text: string) => `log.push('${text}')`

describe('hooks', () => {
  const steps = {
    functions: [
      { name: 'first', code: `this.first = () => 'one'; ${say('functions')}` },
      { name: 'second', code: `this.second = () => this.first() + 'two'` },
    ],
    dependency: `await null; ${say('dependency')}`,
    beforeRender: `await new Promise((done) => setTimeout(done, 5)); ${say('beforeRender')}`,
    mountChild: `${say('mountChild')}`,
    afterRender: `${say('afterRender')}; log.push(this.second())`,
    js: say('js'),
    update: say('update'),
  }
  const child = trusted(2, {
    beforeRender: say('child beforeRender'),
    afterRender: say('child afterRender'),
    js: say('child js'),
  })

  test('run in order, each awaited, and main code of the main widget only', async () => {
    const { page } = await show(
      trusted(1, steps, { html: place('a'), children: [{ wrapper: 'a', widget: child }] }),
    )
    expect(await logged(page, 9)).toEqual([
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

  test('afterRender runs with each render, and not once more', async () => {
    const { page } = await show(
      trusted(1, {
        beforeRender: `await this.render(); ${say('rendered')}`,
        afterRender: say('after'),
        js: `${say('js')}; await this.render(); ${say('end')}`,
      }),
    )
    expect(await logged(page, 5)).toEqual(['after', 'rendered', 'js', 'after', 'end'])
  })

  test('find the props in data, and what the application hands in as tsccs', async () => {
    const { page } = await show(
      trusted(1, { afterRender: 'log.push(this.data.name, typeof tsccs.query, this.widgetType)' }),
      { name: 'weft' },
    )
    expect(await logged(page, 3)).toEqual(['weft', 'function', 'the_element_name'])
  })

  test.each([
    { code: 'throw new Error("no thread left")', says: 'Error: no thread left' },
    { code: 'const = 1', says: "Error: Unexpected token '='" },
    { code: 'throw "a text"', says: 'Error: a text' },
    { code: 'await Promise.reject(new Error("later"))', says: 'Error: later' },
  ])('that fail say so under their name: $code', async ({ code, says }) => {
    const { page } = await show(
      trusted(1, { beforeRender: code, js: say('js') }, { html: '<p id="rest">rest</p>' }),
    )
    const box = page.getByRole('alert')
    await box.waitFor()
    expect(await box.locator('strong').textContent()).toBe('beforeRender')
    expect(await box.locator('p').textContent()).toMatch(says)
    await logged(page, 1)
    expect(await page.locator('#rest').textContent()).toBe('rest')
    expect(await page.evaluate(() => window.inCode.failures)).toEqual([
      expect.stringMatching(/^beforeRender: /),
    ])
  })

  test('an error leaves when the hook works again', async () => {
    const { page } = await show(
      trusted(1, {
        afterRender:
          'globalThis.tried ??= 0; if (tried++ === 0) throw new Error("once"); log.push(this)',
      }),
    )
    await page.getByText('Error: once').waitFor()
    await page.evaluate(() => window.inCode.draw({ id: 1, version: 'latest', props: 'other' }))
    await page.getByText('Error: once').waitFor({ state: 'detached' })
  })
})

describe('children', () => {
  /** Known to lose children elsewhere: a render while they are being built. */
  test.each([0, 1, 20])('are in the page after a render %i ms into building them', async (wait) => {
    const slow = trusted(
      2,
      {
        beforeRender: `await new Promise((done) => setTimeout(done, 10)); ${say('child')}`,
        afterRender: `this.getElementById('n').textContent = 'ready'; ${say('child ready')}`,
      },
      { html: '<b id="n">waiting</b>' },
    )
    const { page } = await show(
      trusted(
        1,
        { beforeRender: `setTimeout(() => { this.render(); ${say('rendered')} }, ${wait})` },
        { html: `<h2>head</h2>${place('a')}`, children: [{ wrapper: 'a', widget: slow }] },
      ),
    )
    await logged(page, 3)
    expect(await page.locator('#a > [data-widget="2"] #n').textContent()).toBe('ready')
    expect(await page.locator('#n').count()).toBe(1)
  })

  test('keep what happened in them when the parent is drawn anew', async () => {
    const child = trusted(2, { afterRender: say('child') }, { html: '<input id="field">' })
    const { page } = await show(
      trusted(
        1,
        {
          js: `this.getElementById('field').value = 'typed'; this.getElementById('field').focus(); await this.render(); ${say('done')}`,
        },
        { html: place('a'), children: [{ wrapper: 'a', widget: child }] },
      ),
    )
    expect(await logged(page, 2)).toEqual(['child', 'done'])
    expect(await page.locator('#a #field').inputValue()).toBe('typed')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('field')
  })

  test('without code stay as they were cleaned, inside a parent that runs', async () => {
    const still: Given = {
      id: 2,
      html: '<p>still</p><img src=x onerror="log.push(1)">',
      css: 'p { color: rgb(1, 2, 3) }',
    }
    const { page } = await show(
      trusted(
        1,
        { afterRender: say('after') },
        { html: place('a'), children: [{ wrapper: 'a', widget: still }] },
      ),
    )
    expect(await logged(page, 1)).toEqual(['after'])
    expect(await page.locator('#a [data-widget="2"]').innerHTML()).toBe('<p>still</p><img>')
    expect(await page.evaluate("getComputedStyle(document.querySelector('#a p')).color")).toBe(
      'rgb(1, 2, 3)',
    )
  })

  test('that run find their way into a parent that does not', async () => {
    const child = trusted(2, {
      afterRender: 'this.element.append("runs"); log.push(this.parentWidget === undefined)',
      js: say('js'),
    })
    const { page } = await show({
      id: 1,
      html: `<p>still</p>${place('a')}`,
      children: [{ wrapper: 'a', widget: child }],
    })
    expect(await logged(page, 1)).toEqual([true])
    expect(await page.locator('[data-widget="1"] #a [data-widget="2"]').textContent()).toBe(
      'drawnruns',
    )
    expect(await logOf(page)).toEqual([true])
  })

  test('components of the application stay alive when the widget is drawn anew', async () => {
    const { paths } = await storing(
      trusted(
        1,
        {
          functions: [{ name: 'again', code: 'globalThis.again = () => this.render()' }],
          afterRender: say('after'),
        },
        { html: place('place') },
      ),
    )
    const { page } = await open('in-code.tsx', pagePolicy, paths)
    await page.evaluate(() => window.inCode.draw({ id: 1 }, 'slots'))
    await logged(page, 1)
    await page.getByRole('button', { name: 'pressed 0' }).click()
    await page.evaluate('again()')
    await page.locator('#place').getByRole('button', { name: 'pressed 1' }).click()
    await page.getByRole('button', { name: 'pressed 2' }).waitFor()
  })
})

describe('state', () => {
  test('that did not change notifies nobody', async () => {
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
    expect(await logged(page, 4)).toEqual([3, true, 'x', 'said'])
  })

  test('that is shared reaches all below, who are drawn anew, and nobody else', async () => {
    const leaf = trusted(3, { afterRender: `log.push('leaf ' + this.getWidgetState('k', 'none'))` })
    const middle = trusted(
      2,
      { afterRender: `log.push('middle ' + this.getWidgetState('k', 'none'))` },
      {
        html: place('b'),
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
        { html: place('a'), children: [{ wrapper: 'a', widget: middle }] },
      ),
    )
    const log = await logged(page, 7)
    expect(log.slice(0, 3)).toEqual(['leaf early', 'middle early', 'main'])
    expect(log.slice(3).sort()).toEqual(['fallback', 'late', 'leaf late', 'middle late'])
  })

  test('of a child is given by the parent: data, a render, an update', async () => {
    const child = trusted(2, {
      afterRender: `log.push('after ' + this.data)`,
      update: `log.push('update ' + this.data)`,
    })
    const { page } = await show(
      trusted(
        1,
        { js: `this.UpdateChildData('new', this.childWidgets[0])` },
        {
          html: place('a'),
          children: [{ wrapper: 'a', widget: child }],
        },
      ),
      'old',
    )
    expect(await logged(page, 3)).toEqual(['after old', 'after new', 'update new'])
  })

  test('a child tells: listeners hear it, and the parent keeps it by its type', async () => {
    const child = trusted(2, {
      js: '',
      functions: [
        { name: 'tell', code: `globalThis.tell = () => this.notify({ id: 5, type: 'the_item' })` },
      ],
    })
    const { page } = await show(
      trusted(
        1,
        {
          js: `this.childWidgets[0].dataChange((value) => log.push(value.id)); tell(); log.push(Object.keys(this.childrenData)); this.notify({ up: 1 })`,
        },
        {
          html: place('a'),
          children: [{ wrapper: 'a', widget: child }],
        },
      ),
    )
    expect(await logged(page, 2)).toEqual([5, ['the_item']])
    expect(await page.evaluate(() => window.inCode.notices)).toEqual([{ up: 1 }])
  })

  test('props that change are new data, a render and an update', async () => {
    const { page } = await show(
      trusted(1, {
        afterRender: `log.push('after ' + this.data.n)`,
        update: `log.push('update ' + this.data.n)`,
      }),
      { n: 1 },
    )
    await logged(page, 1)
    await page.evaluate(() => window.inCode.draw({ id: 1, version: 'latest', props: { n: 1 } }))
    await page.evaluate(() => window.inCode.draw({ id: 1, version: 'latest', props: { n: 2 } }))
    expect(await logged(page, 3)).toEqual(['after 1', 'after 2', 'update 2'])
  })

  test('cannot reach the prototype of objects', async () => {
    const { page } = await show(
      trusted(1, {
        js: `this.setStateProperty(JSON.parse('{"__proto__": {"polluted": 1}}')); this.setWidgetState('__proto__', { polluted: 1 }); this.notify({ type: '__proto__' }); log.push(({}).polluted === undefined, this.polluted === undefined)`,
      }),
    )
    expect(await logged(page, 2)).toEqual([true, true])
  })
})

describe('styles', () => {
  test('stay inside, nest, and reach the placeholder by its id', async () => {
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
        { css: 'h2 { color: rgb(3, 3, 3) }', js: say('js') },
        {
          html: `<h2>h</h2>${place('a')}<b class="x">out</b>`,
          children: [{ wrapper: 'a', widget: child }],
        },
      ),
    )
    await logged(page, 1)
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
  test('come before code, once, and leave with the last who uses them', async () => {
    const server = await storing()
    let loads = 0
    const library =
      (text: string, type: string) => (answer: import('node:http').ServerResponse) => {
        loads++
        answer
          .writeHead(200, { 'Content-Type': type, 'Access-Control-Allow-Origin': '*' })
          .end(text)
      }
    const { page } = await open('in-code.tsx', pagePolicy, {
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
      html: place('a') + place('b'),
      children: [
        { wrapper: 'a', widget: using(2) },
        { wrapper: 'b', widget: using(3) },
      ],
    })
    await page.evaluate(() => window.inCode.draw({ id: 1 }))
    expect(await logged(page, 4)).toEqual(['one,two', 3, 'one,two', 3])
    expect(loads).toBe(3)
    await page.evaluate(() => window.inCode.undraw())
    expect(await page.locator('head > link, head > script[crossorigin]').count()).toBe(0)
  })

  test('that do not come say which', async () => {
    const server = await storing()
    const { page } = await open('in-code.tsx', pagePolicy, server.paths)
    const { origin } = new URL(page.url())
    server.publish(1, trusted(1, { scripts: [`${origin}/gone.js`], js: say('js') }))
    await page.evaluate(() => window.inCode.draw({ id: 1 }))
    await page.getByText(`Error: Failed to load script: ${origin}/gone.js`).waitFor()
    expect(await logged(page, 1)).toEqual(['js'])
  })
})

test('nothing of a widget is left when it is gone', async () => {
  const child = trusted(2, {
    css: 'p { color: red }',
    js: '',
    afterRender: `addEventListener('ping', () => log.push('heard by the child'), { signal: this.signal })`,
  })
  const { page } = await show(
    trusted(
      1,
      {
        css: 'h2 { color: red }',
        afterRender: `this.signal.addEventListener('abort', () => log.push('ended')); addEventListener('ping', () => log.push('heard'), { signal: this.signal })`,
        js: `globalThis.left = this; ${say('js')}`,
      },
      { html: place('a'), children: [{ wrapper: 'a', widget: child }] },
    ),
  )
  await logged(page, 1)
  expect(await page.evaluate('document.adoptedStyleSheets.length')).toBeGreaterThan(0)
  await page.evaluate(() => window.inCode.undraw())
  await page.evaluate(() => dispatchEvent(new Event('ping')))
  expect(await logOf(page)).toEqual(['js', 'ended'])
  expect(await page.evaluate('document.adoptedStyleSheets.length')).toBe(0)
  expect(await page.evaluate('left.childWidgets.length')).toBe(0)
  expect(await page.locator('main').innerHTML()).toBe('')
})

describe('a newer version', () => {
  test('takes the place of the one shown, cleanly, and goes on with its state', async () => {
    const version = (id: number, text: string): Given =>
      trusted(
        id,
        {
          js: `this.state.count = (this.state.count ?? 0) + 1; this.signal.addEventListener('abort', () => log.push('${text} ended')); log.push('${text} ' + this.state.count)`,
          css: `h2 { order: ${id} }`,
        },
        { html: `<h2>${text}</h2>`, root: 1 },
      )
    const { page, server } = await show(version(1, 'first'))
    await logged(page, 1)
    server.publish(1, version(7, 'second'))
    await page.getByRole('heading', { name: 'second' }).waitFor()
    expect(await logged(page, 3)).toEqual(['first 1', 'first ended', 'second 2'])
    expect(await page.locator('h2').count()).toBe(1)
    expect(
      await page.evaluate(
        "Array.from(document.adoptedStyleSheets, (s) => s.cssRules[0].cssText).join().includes('order: 1')",
      ),
    ).toBe(false)
  })

  test('of a widget deep inside is heard of too', async () => {
    const inside = (text: string): Given => ({ id: 2, root: 20, html: `<p>${text}</p>` })
    const around = (text: string): Given => ({
      id: 1,
      html: place('a'),
      children: [{ wrapper: 'a', widget: inside(text) }],
    })
    const { page, server } = await show(around('old'))
    await page.getByText('old').waitFor()
    server.publish(1, around('new'))
    await page.getByText('new').waitFor()
  })

  test('that says the same changes nothing', async () => {
    const { page, server } = await show({ id: 1, html: '<p>same</p>' })
    await page.getByText('same').waitFor()
    await page.evaluate(() => Object.assign(window, { element: document.querySelector('p') }))
    const before = server.asked.length
    server.publish(1, { id: 1, html: '<p>same</p>' })
    await expect.poll(() => server.asked.length).toBeGreaterThan(before)
    expect(await page.evaluate("document.querySelector('p') === element")).toBe(true)
  })
})

test('a class of the application is a widget too', async () => {
  const { page } = await open('in-code.tsx', pagePolicy)
  const seen = await page.evaluate(() => {
    const { Widget } = window.inCode
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
  expect(seen).toEqual([
    '<div class="mftsccs-marking-rendered"><ul><li>a</li><li>b</li></ul></div>',
    0,
    true,
  ])
  expect(await logOf(page)).toEqual([1, 2])
})
