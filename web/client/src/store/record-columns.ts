import type { Access, Concept } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'

/** Concepts as an array for each member. Browsers write and read such rows ten times faster than a list of objects. */
export interface ConceptColumns extends Times {
  readonly id: Numbers
  readonly type: Numbers
  readonly category: Numbers
  readonly owner: Numbers
  /** Twice the access level, plus one for compositions. */
  readonly marks: Numbers
  readonly value: readonly string[]
  /** Coordinates; absent if all are 0. */
  readonly x?: readonly number[]
  readonly y?: readonly number[]
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
  /** The distinct times of creation. */
  readonly times: readonly string[]
  /** For each record the index of its time. */
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
  ...(list.some((c) => c.x) && { x: list.map((c) => c.x ?? 0) }),
  ...(list.some((c) => c.y) && { y: list.map((c) => c.y ?? 0) }),
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

/**
 * Returns a list of 32-bit integers as a typed array, which the engine copies in one piece. Returns other lists
 * unchanged.
 */
const numbers = (list: readonly number[]): Numbers =>
  list.every((n) => n === (n | 0)) ? Int32Array.from(list) : list

/** Calls back with each concept of a row. */
export function forEachConcept(columns: ConceptColumns, callback: (c: Concept) => unknown): void {
  const { id, type, category, owner, marks, value, x, y, times, time } = columns
  for (let i = 0; i < id.length; i++) {
    const mark = marks[i] as number
    callback({
      id: id[i] as number,
      type: type[i] as number,
      category: category[i] as number,
      value: value[i] as string,
      owner: owner[i] as number,
      access: (mark >> 1) as Access,
      composition: mark % 2 > 0,
      created: times[time[i] as number] as string,
      ...(x?.[i] && { x: x[i] as number }),
      ...(y?.[i] && { y: y[i] as number }),
    })
  }
}

/** Calls back with each connection of a row. */
export function forEachConnection(
  columns: ConnectionColumns,
  callback: (c: Connection) => unknown,
): void {
  const { id, from, to, type, order, owner, access, times, time } = columns
  for (let i = 0; i < id.length; i++) {
    callback({
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
  const indexes = new Map<string, number>()
  const time = list.map(({ created }) => {
    const index = indexes.get(created) ?? indexes.size
    if (index === indexes.size) indexes.set(created, index)
    return index
  })
  return { times: [...indexes.keys()], time: numbers(time) }
}
