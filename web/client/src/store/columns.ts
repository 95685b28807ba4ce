import type { Access, Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'

/** Records by their members instead of one by one: browsers write and read such rows ten times faster. */
export interface ConceptColumns extends Times {
  readonly id: Numbers
  readonly type: Numbers
  readonly category: Numbers
  readonly owner: Numbers
  /** Twice the access, and one more for compositions. */
  readonly marks: Numbers
  readonly value: readonly string[]
}

export interface ConnectionColumns extends Times {
  readonly id: Numbers
  readonly from: Numbers
  readonly to: Numbers
  readonly type: Numbers
  readonly order: Numbers
  readonly owner: Numbers
  readonly access: Numbers
}

interface Times {
  /** When they were created, each time once, and which of these is whose. */
  readonly times: readonly string[]
  readonly time: Numbers
}

type Numbers = ArrayLike<number>

export const packConcepts = (list: readonly Concept[]): ConceptColumns => ({
  id: numbers(list.map((c) => c.id)),
  type: numbers(list.map((c) => c.type)),
  category: numbers(list.map((c) => c.category)),
  owner: numbers(list.map((c) => c.owner)),
  marks: numbers(list.map((c) => 2 * c.access + Number(c.composition))),
  value: list.map((c) => c.value),
  ...timesOf(list),
})

export const packConnections = (list: readonly Connection[]): ConnectionColumns => ({
  id: numbers(list.map((c) => c.id)),
  from: numbers(list.map((c) => c.from)),
  to: numbers(list.map((c) => c.to)),
  type: numbers(list.map((c) => c.type)),
  order: numbers(list.map((c) => c.order)),
  owner: numbers(list.map((c) => c.owner)),
  access: numbers(list.map((c) => c.access)),
  ...timesOf(list),
})

/** Numbers as the engine copies them in one piece, where all of them fit. */
const numbers = (list: readonly number[]): Numbers =>
  list.every((n) => n === (n | 0)) ? Int32Array.from(list) : list

export function eachConcept(columns: ConceptColumns, each: (c: Concept) => unknown): void {
  const { id, type, category, owner, marks, value, times, time } = columns
  for (let i = 0; i < id.length; i++) {
    const mark = marks[i] as number
    each({
      id: id[i] as number,
      type: type[i] as number,
      category: category[i] as number,
      value: value[i] as string,
      owner: owner[i] as number,
      access: (mark >> 1) as Access,
      composition: mark % 2 > 0,
      created: times[time[i] as number] as string,
    })
  }
}

export function eachConnection(columns: ConnectionColumns, each: (c: Connection) => unknown): void {
  const { id, from, to, type, order, owner, access, times, time } = columns
  for (let i = 0; i < id.length; i++) {
    each({
      id: id[i] as number,
      from: from[i] as number,
      to: to[i] as number,
      type: type[i] as number,
      order: order[i] as number,
      owner: owner[i] as number,
      access: access[i] as Access,
      created: times[time[i] as number] as string,
    })
  }
}

function timesOf(list: readonly { readonly created: string }[]): Times {
  const places = new Map<string, number>()
  const time = list.map(({ created }) => {
    const place = places.get(created) ?? places.size
    if (place === places.size) places.set(created, place)
    return place
  })
  return { times: [...places.keys()], time: numbers(time) }
}
