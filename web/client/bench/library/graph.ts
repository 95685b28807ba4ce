import type { Concept } from '../../src/graph/concept.ts'
import type { Connection } from '../../src/graph/connection.ts'
import type { Id } from '../../src/graph/id.ts'

/** What creating a record writes, for libraries that know rows only. */
export interface Rows {
  readonly main: Id
  readonly concepts: Concept[]
  readonly connections: Connection[]
}

interface Nested {
  readonly [key: string]: string | Nested
}

/** Makes the rows of new records, with ids from below zero. TypeOf says the id of a type by its name. */
export function rowMaker(typeOf: (name: string) => Id) {
  let next = -100
  let created = ''

  const concept = (type: Id, value: string, composition: boolean): Concept => ({
    id: --next,
    type,
    category: 4,
    value,
    owner: 999,
    access: 4,
    composition,
    created,
  })
  const connection = (from: Id, to: Id, type: Id): Connection => ({
    id: --next,
    from,
    to,
    type,
    order: 1,
    owner: 999,
    access: 4,
    created,
  })

  function fill(rows: Rows, parent: Id, fields: Nested): void {
    for (const [key, value] of Object.entries(fields)) {
      const text = typeof value === 'string'
      const made = concept(typeOf(text ? `the_${key}` : key), text ? value : '', !text)
      rows.concepts.push(made)
      rows.connections.push(connection(parent, made.id, rows.main))
      if (!text) fill(rows, made.id, value)
    }
  }

  return {
    /** The rows of a record of that type. */
    record(type: string, fields: Nested): Rows {
      created = new Date().toISOString()
      const head = concept(typeOf(type), '', true)
      const rows = { main: head.id, concepts: [head], connections: [] }
      fill(rows, head.id, fields)
      return rows
    },
    /** A value and the connection that gives it to a record. */
    value(main: Id, type: string, value: string): { concept: Concept; connection: Connection } {
      created = new Date().toISOString()
      const made = concept(typeOf(type), value, false)
      return { concept: made, connection: connection(main, made.id, main) }
    },
  }
}

/** `the_price` as the key of a record. */
export const keyOf = (type: string): string => (type.startsWith('the_') ? type.slice(4) : type)
