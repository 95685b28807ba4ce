import type { Concept } from '../../src/model/concept.ts'
import type { Connection } from '../../src/model/connection.ts'
import type { Id } from '../../src/model/id.ts'

/** The rows of a new record, for libraries that have no nested records. */
export interface Rows {
  readonly main: Id
  readonly concepts: Concept[]
  readonly connections: Connection[]
}

interface Nested {
  readonly [key: string]: string | Nested
}

/** Returns functions that create the rows of new records, with negative ids. `typeOf` returns the id of a type. */
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
      const isText = typeof value === 'string'
      const child = concept(typeOf(isText ? `the_${key}` : key), isText ? value : '', !isText)
      rows.concepts.push(child)
      rows.connections.push(connection(parent, child.id, rows.main))
      if (!isText) fill(rows, child.id, value)
    }
  }

  return {
    /** Returns the rows of a record. */
    record(type: string, fields: Nested): Rows {
      created = new Date().toISOString()
      const head = concept(typeOf(type), '', true)
      const rows = { main: head.id, concepts: [head], connections: [] }
      fill(rows, head.id, fields)
      return rows
    },
    /** Returns a value and the connection from the record to it. */
    value(main: Id, type: string, value: string): { concept: Concept; connection: Connection } {
      created = new Date().toISOString()
      const leaf = concept(typeOf(type), value, false)
      return { concept: leaf, connection: connection(main, leaf.id, main) }
    },
  }
}

/** Returns the name of a type without the prefix `the_`, as the key of a field. */
export const keyOf = (type: string): string => (type.startsWith('the_') ? type.slice(4) : type)
