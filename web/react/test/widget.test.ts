import { describe, expect, test } from 'vitest'
import { pageStyle, readPage } from '../src/page/page.ts'
import { readWidget, type Widget } from '../src/page/widget.ts'

describe('a widget tree', () => {
  test('keeps children in order, each with its place', () => {
    const tree = readWidget({
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
    'has no name when it says %j',
    (name) => expect(readWidget({ id: 1, name }).name).toBe(''),
  )

  test.each([undefined, null, 'text', 7, [], {}, { children: 'x' }, { children: [null, 1, {}] }])(
    'is read from %j without a fault',
    (json) => expect(readWidget(json).children).toEqual([]),
  )

  test('leaves out a widget inside itself', () => {
    const loop = { id: 1, name: 'a', children: [] as unknown[] }
    loop.children.push({
      wrapper: 'w',
      widget: { id: 2, name: 'b', children: [{ wrapper: 'w', widget: loop }] },
    })
    expect(depthOf(readWidget(loop))).toBe(2)
  })

  test('ends at a depth of 16', () => {
    let tree: unknown = { id: 1000, name: 'leaf' }
    for (let id = 1; id < 100; id++)
      tree = { id, name: 'w', children: [{ wrapper: 'w', widget: tree }] }
    expect(depthOf(readWidget(tree))).toBe(17)
  })

  test('ends at 256 widgets however wide it is', () => {
    const children = Array.from({ length: 5000 }, (_, i) => ({
      wrapper: 'w',
      widget: { id: i + 2, name: 'w' },
    }))
    expect(readWidget({ id: 1, name: 'w', children }).children).toHaveLength(255)
  })

  test('does not read what objects inherit', () => {
    expect(readWidget(Object.create({ id: 1, name: 'inherited' }))).toMatchObject({
      id: 0,
      name: '',
    })
  })

  const depthOf = (widget: Widget): number =>
    1 + Math.max(0, ...widget.children.map((child) => depthOf(child.widget)))
})

describe('a page', () => {
  test.each([{}, { page: { slug: '/' } }, { page: {}, widget: null }, null])(
    'without a body is none: %j',
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
  ])('with %j is styled by "%s"', (settings, css) => {
    const read = readPage({ page: settings, widget: { id: 1, name: 'w' } })
    expect(read && pageStyle(read.page)).toBe(css)
  })
})
