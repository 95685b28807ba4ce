import { anonymous, categoryInstance } from './fixed.ts'
import type { Id } from './id.ts'

/** A typed value. Concepts are immutable: a new value is a new concept. */
export interface Concept {
  readonly id: Id
  /** The type concept, whose value is the type's name. */
  readonly type: Id
  /** `categoryInstance` for instances; for a type concept, the concept of its prefix, such as `the`. */
  readonly category: Id
  /** Always text; `''` for the main concept of a record. */
  readonly value: string
  readonly owner: Id
  readonly access: Access
  /** True for the main concept of a record, and for a prototype. */
  readonly composition: boolean
  /** Creation time, ISO 8601, as the server wrote it. */
  readonly created: string
  /** The position of the concept in a drawing, if an application set one. 0 is left out. */
  readonly x?: number
  readonly y?: number
}

/** The users who may read a record besides its owner: 3 admins, 4 no other user, 5 all users. */
export type Access = 3 | 4 | 5

/**
 * Returns the owner of the records that a user creates: `anonymous` for guests, and for API keys, because a key does
 * not name its user.
 */
export const ownerFor = (user: string | undefined): Id => Number(user) || anonymous

/** The maximum length, in UTF-16 units, of a value that is shared and found by equality. */
const maxSharedValue = 255

/** Reports whether equal values of one type are one concept. Empty and long values are not shared. */
export const isShared = (value: string): boolean => value !== '' && value.length <= maxSharedValue

/** Reports whether a concept is a type, not a value or a prototype. */
export const isType = (c: Concept): boolean => c.category !== categoryInstance && !c.composition

/** Reports whether two versions of a concept have the same fields. */
export const isSameConcept = (a: Concept, b: Concept): boolean =>
  (Object.keys({ ...a, ...b }) as (keyof Concept)[]).every((key) => a[key] === b[key])
