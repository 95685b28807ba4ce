import { describe, expect, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { type FieldInput, type FieldValue, setOwn } from '../src/composition/value.ts'
import { allConnections, createData, link, readData, readLinks } from '../src/graph/index.ts'
import { keyRelation, legacyRelation, linkRelation } from '../src/graph/type-names.ts'
import { mulberry } from './dice.ts'
import { offlineClient, open } from './open.ts'
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

describe('createData and readData', () => {
  test('return the same data, with lists, locally and on the server', async () => {
    const url = await startServer()
    const weft = open(url)
    const { id, synced } = createData(weft, { person })
    expect(await readData(weft, id)).toEqual({ the_person: texts })
    const real = await synced
    expect(weft.sync.writes()).toEqual([])
    expect(await readData(open(url), real)).toEqual({ the_person: texts })
  })

  test('link each member by its own name, and all items of a list by the same name', async () => {
    const url = await startServer()
    const real = await createData(open(url), { person }).synced
    const weft = open(url)
    const rows = (source: number, name: string) =>
      readLinks<{ id: number; data: object }>(weft, source, name, { order: 'ASC' })
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

  test('work without a server', async () => {
    const server = await startWeft()
    await server.kill()
    const weft = open(server.url)
    const { id, synced } = createData(weft, { person })
    expect(await readData(weft, id)).toEqual({ the_person: texts })
    await server.start()
    expect(await readData(open(server.url), await synced)).toEqual({ the_person: texts })
  })

  test('write data to an existing concept, and read it without links that are not data', async () => {
    const url = await startServer()
    const weft = open(url)
    const ann = createData(weft, { person: { name: 'Ann' } })
    const bea = createData(weft, { person: { name: 'Bea' } })
    link(weft, ann.id, 'friend', bea.id)
    const more = createData(weft, { mail: 'a@b.co', pets: ['Rex'] }, { of: ann.id })
    expect(weft.concept(more.id)?.composition).toBe(true)
    await more.synced
    const expected = { the_person: { name: 'Ann', mail: 'a@b.co', pets: ['Rex'] } }
    expect(await readData(open(url), await ann.synced)).toEqual(expected)
  })

  test('create a composition, value or list for each key, and return the id of the last', async () => {
    const weft = offlineClient()
    expect(await readData(weft, createData(weft, { a: { b: 1 }, words: ['x'] }).id)).toEqual({
      the_words: ['x'],
    })
    expect(await readData(weft, createData(weft, { name: 'Ann' }).id)).toEqual({ the_name: 'Ann' })
    const numbered = { x: { 0: 'zero', y: 'why' } }
    expect(await readData(weft, createData(weft, numbered).id)).toEqual({ the_x: numbered.x })
  })

  test('reject values that are not data, with their path', () => {
    const weft = offlineClient()
    const at = { born: new Date(0) } as never
    expect(() => createData(weft, { person: { dates: [at] } })).toThrow(
      'person.dates.0.born is a Date, which is not data',
    )
    expect(() => createData(weft, {})).toThrow('has no keys')
    expect(() => createData(weft, { a: { n: Number.NaN } })).toThrow('NaN')
    expect(() => createData(weft, { x: 1 }, { of: 7_777_777 })).toThrow('7777777 is not loaded')
    let deep: object = {}
    for (let i = 0; i < 101; i++) deep = { deep }
    expect(() => createData(weft, deep as never)).toThrow('than 100 levels')
    expect(weft.sync.writes()).toEqual([])
  })
})

test.each(Array.from({ length: 40 }, (_, i) => i + 1))(
  'random data of seed %i is read back as it was written',
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
      // At least one key, because an empty object may be read as an empty list.
      for (let n = dice() * 4; n >= 0; n--) setOwn(fields, pick(keys.slice(0, 7)), value(depth + 1))
      return fields
    }
    const record = { top: value(1), ...(dice() < 0.5 && { [pick(keys.slice(7, 9))]: 'place' }) }
    const weft = offlineClient()
    const { id } = createData(weft, { record })
    expect(await readData(weft, id)).toEqual({ the_record: textsOf(record) })
  },
)

/** Converts all scalars to strings. */
function textsOf(value: FieldInput): FieldValue {
  if (Array.isArray(value)) return value.map(textsOf)
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = {}
  for (const [key, member] of Object.entries(value)) setOwn(fields, key, textsOf(member))
  return fields
}

test('names of links begin with the type of their source', () => {
  const keys = [
    ['the_person', 'name', 'the_person_name'],
    ['the_person', 'the_name', 'the_person_name'],
    ['the_person_s', 'phones', 'the_person_s_phones'],
    ['the_phones_s', '0', 'the_phones_s_'],
    ['the_phones_s', '12', 'the_phones_s_'],
    ['the_x', '-1.5', 'the_x_'],
    ['the_x', '1a', 'the_x_1a'],
  ] as const
  for (const [source, key, expected] of keys) expect(keyRelation(source, key)).toBe(expected)
  expect(linkRelation('the_person', 's_friend')).toBe('the_person_s_friend')
  expect(linkRelation('the_person', 'the_house_owner')).toBe('the_house_owner')
  expect(legacyRelation('the_person', 'friend_s')).toBe('the_person_s_friend_s')
})
