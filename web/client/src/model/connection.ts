import type { Access } from './concept.ts'
import type { Id } from './id.ts'

/** A directed, typed link between two concepts. */
export interface Connection {
  readonly id: Id
  readonly from: Id
  readonly to: Id
  /** The id of a type concept, or of the main concept of the composition that contains the connection. */
  readonly type: Id
  readonly order: number
  readonly owner: Id
  readonly access: Access
  readonly created: string
}

/** Order number of the connections of a new record. */
export const orderInternal = 1

/** `out` follows connections from source to target, `in` from target to source. */
export type Direction = 'out' | 'in'

/** Order number of links between records. */
export const orderLink = 1000

/** Order number of the connections that an update added to a record. */
export const orderPatch = 2
