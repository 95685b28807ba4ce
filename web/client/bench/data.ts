import type { Concept } from '../src/model/concept.ts'
import type { Connection } from '../src/model/connection.ts'
import type { Id } from '../src/model/id.ts'

export const count = 10_000

/** The fields of record n: seven texts and one nested record with its own text. */
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

const types: readonly string[] = [
  'the_note',
  'inner',
  'the_detail',
  'the_title',
  'the_body',
  'the_author',
  'the_place',
  'the_day',
  'the_price',
  'the_state',
]
/** The ids of types, by name. */
export const typeOf = (name: string): Id => 1_001 + types.indexOf(name)
export const mainOf = (n: number): Id => 100_000 + 10 * n

/** Records as the server would send them. */
export interface Data {
  readonly concepts: readonly Concept[]
  readonly connections: readonly Connection[]
}

/** Creates records of ten concepts and nine connections each. */
export function makeData(records = count): Data {
  const concepts = types.map((name) => concept(typeOf(name), 51, 1, name, false))
  const connections: Connection[] = []
  let link = 1_000_000
  const connect = (from: Id, to: Id, type: Id) =>
    connections.push({ id: ++link, from, to, type, order: 1, owner: 999, access: 4, created: '' })
  for (let n = 0; n < records; n++) {
    const main = mainOf(n)
    const { inner, ...texts } = fieldsOf(n)
    concepts.push(instance(main, typeOf('the_note'), '', true))
    for (const [i, [key, text]] of Object.entries(texts).entries()) {
      concepts.push(instance(main + 1 + i, typeOf(`the_${key}`), text))
      connect(main, main + 1 + i, main)
    }
    concepts.push(instance(main + 8, typeOf('inner'), '', true))
    connect(main, main + 8, main)
    concepts.push(instance(main + 9, typeOf('the_detail'), inner.detail))
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
const instance = (id: Id, type: Id, value: string, composition = false) =>
  concept(id, type, 4, value, composition)
