import { describe, expect, test } from 'vitest'
import { pageCss, readPage } from '../src/page/page.ts'
import { readWidgetTree, type WidgetTree } from '../src/stored/widget-tree.ts'

describe('a widget tree', () => {
  test('keeps children in order, each with its placeholder', () => {
    const tree = readWidgetTree({
      id: 1,
      name: 'body',
      html: '<p>',
      css: 'p{}',
      children: [
        { wrapper: 'a', widget: { id: 2, name: 'first' } },
        { wrapper: 'b', widget: { id: 3, name: 'second' } },
      ],
    })
    expect(tree.children.map(({ wrapper, widget }) => [wrapper, widget.name])).toEqual([
      ['a', 'first'],
      ['b', 'second'],
    ])
  })

  test.each(['undefined', 'null', 'NaN', '', undefined, null, 7, {}])(
    'has an empty name for the stored value %j',
    (name) => expect(readWidgetTree({ id: 1, name }).name).toBe(''),
  )

  test.each([undefined, null, 'text', 7, [], {}, { children: 'x' }, { children: [null, 1, {}] }])(
    'is read from %j without an error',
    (json) => expect(readWidgetTree(json).children).toEqual([]),
  )

  test('omits a widget inside itself', () => {
    const loop = { id: 1, name: 'a', children: [] as unknown[] }
    loop.children.push({
      wrapper: 'w',
      widget: { id: 2, name: 'b', children: [{ wrapper: 'w', widget: loop }] },
    })
    expect(depthOf(readWidgetTree(loop))).toBe(2)
  })

  test('is cut off 16 levels below its main widget', () => {
    let tree: unknown = { id: 1000, name: 'leaf' }
    for (let id = 1; id < 100; id++)
      tree = { id, name: 'w', children: [{ wrapper: 'w', widget: tree }] }
    expect(depthOf(readWidgetTree(tree))).toBe(17)
  })

  test('is cut off after 256 widgets', () => {
    const children = Array.from({ length: 5000 }, (_, i) => ({
      wrapper: 'w',
      widget: { id: i + 2, name: 'w' },
    }))
    expect(readWidgetTree({ id: 1, name: 'w', children }).children).toHaveLength(255)
  })

  test('ignores inherited properties', () => {
    expect(readWidgetTree(Object.create({ id: 1, name: 'inherited' }))).toMatchObject({
      id: 0,
      name: '',
    })
  })

  const depthOf = (widget: WidgetTree): number =>
    1 + Math.max(0, ...widget.children.map((child) => depthOf(child.widget)))
})

describe('a page', () => {
  test.each([{}, { page: { slug: '/' } }, { page: {}, widget: null }, null])(
    'without a body is undefined: %j',
    (json) => expect(readPage(json)).toBeUndefined(),
  )

  test.each([
    [{ type: 'fixed' }, '.fspage { width: 1200px; max-width: 100%; margin: 0 auto }'],
    [{ type: 'fluid' }, '.fspage { width: 100%; padding: 0 }'],
    [{ width: '900px', fontSize: '18' }, '.fspage { width: 900px !important; font-size: 18px }'],
    [{ fontFamily: 'Georgia, serif' }, '.fspage { font-family: Georgia, serif }'],
    [{ width: '1px } body { display: none', fontSize: 'url(/x)', fontFamily: 'a; color: red' }, ''],
    [{ type: 'constructor', width: 'NaN' }, ''],
    [{}, ''],
  ])('with the settings %j has the CSS "%s"', (settings, css) => {
    const read = readPage({ page: settings, widget: { id: 1, name: 'w' } })
    expect(read && pageCss(read.page)).toBe(css)
  })
})
