import type { Access } from './concept.ts'
import type { Id } from './id.ts'

/** Says that one concept belongs to another, and in what way. */
export interface Connection {
  readonly id: Id
  readonly from: Id
  readonly to: Id
  /** A type concept, or the main concept of a composition: then the connection is internal to it. */
  readonly type: Id
  readonly order: number
  readonly owner: Id
  readonly access: Access
  readonly created: string
}

/** The order number of connections inside a record. */
export const orderInternal = 1

/** `out` follows connections from source to target, `in` from target to source. */
export type Direction = 'out' | 'in'

/** The order number of links. */
export const orderLink = 1000

/** The order number of connections that a change brought into a record. */
export const orderPatch = 2
