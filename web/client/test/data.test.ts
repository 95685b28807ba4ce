import { describe, expect, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { type FieldInput, type FieldValue, put } from '../src/composition/value.ts'
import { allConnections, createData, link, readData, relation } from '../src/records/index.ts'
import { keyName, linkerName, linkName } from '../src/records/name.ts'
import { mulberry } from './dice.ts'
import { alone, open } from './open.ts'
import { startServer } from './server.ts'

const person = {
  name: 'Ann',
  age: 30,
  married: false,
  boss: null,
  home: { city: 'Oslo', lines: [] },
  phones: [{ number: '1' }, { number: '2', kind: 'work' }],
  tags: ['b', 'a', 'b'],
  board: [['x', 'o'], [], ['o']],
  nothing: {},
}
const texts = { ...person, age: '30', married: 'false', boss: 'null' }

describe('data', () => {
  test('reads back as it was, lists as lists, here at once and at the server', async () => {
    const url = await startServer()
    const weft = open(url)
    const { id, synced } = createData(weft, { person })
    expect(await readData(weft, id)).toEqual({ the_person: texts })
    const real = await synced
    expect(weft.sync.writes()).toEqual([])
    expect(await readData(open(url), real)).toEqual({ the_person: texts })
  })

  test('is linked by names, a list by one name whatever it holds', async () => {
    const url = await startServer()
    const real = await createData(open(url), { person }).synced
    const weft = open(url)
    const rows = (of: number, name: string) =>
      relation<{ id: number; data: object }>(weft, of, name, { order: 'ASC' })
    expect((await rows(real, 'the_person_name'))[0]?.data).toEqual({ the_name: 'Ann' })
    expect((await rows(real, 'the_person_married'))[0]?.data).toEqual({ the_married: 'false' })
    const [tags] = await rows(real, 'the_person_tags')
    expect(tags?.data).toEqual({ the_tags_s: {} })
    const items = await rows(tags?.id ?? 0, 'the_tags_s_')
    expect(items.map((row) => row.data)).toEqual(['b', 'a', 'b'].map((tag) => ({ the_tags: tag })))
    const orders = (await allConnections(weft, real)).map((c) => c.order)
    expect(new Set(orders)).toEqual(new Set([1000]))
    const [phones] = await rows(real, 'the_person_phones')
    const [first] = await rows(phones?.id ?? 0, 'the_phones_s_')
    expect((await rows(first?.id ?? 0, 'the_phones_number'))[0]?.data).toEqual({ the_number: '1' })
  })

  test('is made and read without a server', async () => {
    const server = await startWeft()
    await server.kill()
    const weft = open(server.url)
    const { id, synced } = createData(weft, { person })
    expect(await readData(weft, id)).toEqual({ the_person: texts })
    await server.start()
    expect(await readData(open(server.url), await synced)).toEqual({ the_person: texts })
  })

  test('may belong to what is there, and links that are no data are left out of it', async () => {
    const url = await startServer()
    const weft = open(url)
    const ann = createData(weft, { person: { name: 'Ann' } })
    const bea = createData(weft, { person: { name: 'Bea' } })
    link(weft, ann.id, 'friend', bea.id)
    const more = createData(weft, { mail: 'a@b.co', pets: ['Rex'] }, { of: ann.id })
    expect(weft.concept(more.id)?.composition).toBe(true)
    await more.synced
    const want = { the_person: { name: 'Ann', mail: 'a@b.co', pets: ['Rex'] } }
    expect(await readData(open(url), await ann.synced)).toEqual(want)
  })

  test('at the top is a composition, a value or a list each, the last of which the write is about', async () => {
    const weft = alone()
    expect(await readData(weft, createData(weft, { a: { b: 1 }, words: ['x'] }).id)).toEqual({
      the_words: ['x'],
    })
    expect(await readData(weft, createData(weft, { name: 'Ann' }).id)).toEqual({ the_name: 'Ann' })
    const numbered = { x: { 0: 'zero', y: 'why' } }
    expect(await readData(weft, createData(weft, numbered).id)).toEqual({ the_x: numbered.x })
  })

  test('that cannot be kept is refused, with the place where it stands', () => {
    const weft = alone()
    const at = { born: new Date(0) } as never
    expect(() => createData(weft, { person: { dates: [at] } })).toThrow(
      'person.dates.0.born is a Date, which is not data',
    )
    expect(() => createData(weft, {})).toThrow('no data')
    expect(() => createData(weft, { a: { n: Number.NaN } })).toThrow('NaN')
    expect(() => createData(weft, { x: 1 }, { of: 7_777_777 })).toThrow('7777777 is not loaded')
    let deep: object = {}
    for (let i = 0; i < 101; i++) deep = { deep }
    expect(() => createData(weft, deep as never)).toThrow('more than 100 levels'.slice(5))
    expect(weft.sync.writes()).toEqual([])
  })
})

// Whatever is written reads back, as texts.
test.each(Array.from({ length: 40 }, (_, i) => i + 1))(
  'data of seed %i reads back',
  async (seed) => {
    const dice = mulberry(seed)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(dice() * list.length)] as T
    const keys = ['a', 'b', 'a_b', 'first_name', 'tags_s', 's', 'x_', '0', '17', 'the', '__proto__']
    const scalars = ['x', 'y', '', 'x'.repeat(300), 7, -1.5, true, false, null]
    const value = (depth: number): FieldInput => {
      const kind = dice()
      if (depth > 3 || kind < 0.4) return pick(scalars)
      if (kind < 0.6) return Array.from({ length: dice() * 4 }, () => value(depth + 1))
      const fields = {}
      // One key at least: an empty object may be an empty list.
      for (let n = dice() * 4; n >= 0; n--) put(fields, pick(keys.slice(0, 7)), value(depth + 1))
      return fields
    }
    const record = { top: value(1), ...(dice() < 0.5 && { [pick(keys.slice(7, 9))]: 'place' }) }
    const weft = alone()
    const { id } = createData(weft, { record })
    expect(await readData(weft, id)).toEqual({ the_record: textsOf(record) })
  },
)

/** The same with texts for what was none. */
function textsOf(value: FieldInput): FieldValue {
  if (Array.isArray(value)) return value.map(textsOf)
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = {}
  for (const [key, each] of Object.entries(value)) put(fields, key, textsOf(each))
  return fields
}

test('the names of links are made of the type of their source', () => {
  const keys = [
    ['the_person', 'name', 'the_person_name'],
    ['the_person', 'the_name', 'the_person_name'],
    ['the_person_s', 'phones', 'the_person_s_phones'],
    ['the_phones_s', '0', 'the_phones_s_'],
    ['the_phones_s', '12', 'the_phones_s_'],
    ['the_x', '-1.5', 'the_x_'],
    ['the_x', '1a', 'the_x_1a'],
  ] as const
  for (const [source, key, want] of keys) expect(keyName(source, key)).toBe(want)
  expect(linkName('the_person', 's_friend')).toBe('the_person_s_friend')
  expect(linkName('the_person', 'the_house_owner')).toBe('the_house_owner')
  expect(linkerName('the_person', 'friend_s')).toBe('the_person_s_friend_s')
})
