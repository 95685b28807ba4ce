import type { Concept } from '../src/graph/concept.ts'
import type { Connection } from '../src/graph/connection.ts'
import type { Id } from '../src/graph/id.ts'

export const count = 10_000

/** The fields of record n: seven texts and one record inside, with a text of its own. */
export const fieldsOf = (n: number) => ({
  title: `title ${n}`,
  body: `body ${n}`,
  author: `author ${n}`,
  place: `place ${n}`,
  day: `day ${n}`,
  price: `price ${n}`,
  state: `state ${n}`,
  inner: { detail: `detail ${n}` },
})

const names = [
  'the_title',
  'the_body',
  'the_author',
  'the_place',
  'the_day',
  'the_price',
  'the_state',
]
const types = { note: 1_001, inner: 1_002, detail: 1_003, first: 1_004 }
export const mainOf = (n: number): Id => 100_000 + 10 * n

/** Records as the server would send them. */
export interface Data {
  readonly concepts: readonly Concept[]
  readonly connections: readonly Connection[]
}

/** So many records: ten concepts and nine connections each. */
export function makeData(records = count): Data {
  const concepts: Concept[] = [
    type(types.note, 'the_note'),
    type(types.inner, 'inner'),
    type(types.detail, 'the_detail'),
    ...names.map((name, i) => type(types.first + i, name)),
  ]
  const connections: Connection[] = []
  let link = 1_000_000
  const connect = (from: Id, to: Id, type: Id) =>
    connections.push({ id: ++link, from, to, type, order: 1, owner: 999, access: 4, created: '' })
  for (let n = 0; n < records; n++) {
    const main = mainOf(n)
    const { inner, ...texts } = fieldsOf(n)
    concepts.push(instance(main, types.note, '', true))
    Object.values(texts).forEach((text, i) => {
      concepts.push(instance(main + 1 + i, types.first + i, text))
      connect(main, main + 1 + i, main)
    })
    concepts.push(instance(main + 8, types.inner, '', true))
    connect(main, main + 8, main)
    concepts.push(instance(main + 9, types.detail, inner.detail))
    connect(main + 8, main + 9, main)
  }
  return { concepts, connections }
}

const concept = (id: Id, type: Id, category: Id, value: string, composition: boolean): Concept => ({
  id,
  type,
  category,
  value,
  owner: 999,
  access: 4,
  composition,
  created: '',
})
const type = (id: Id, name: string) => concept(id, 51, 1, name, false)
const instance = (id: Id, type: Id, value: string, composition = false) =>
  concept(id, type, 4, value, composition)
