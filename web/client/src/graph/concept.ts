import { categoryInstance } from './fixed.ts'
import type { Id } from './id.ts'

/** A value of a type. Concepts are never edited: a new value is another concept. */
export interface Concept {
  readonly id: Id
  /** The type concept, whose value is the type's name. */
  readonly type: Id
  /** `categoryInstance` for instances; for a type concept, the type named by its prefix. */
  readonly category: Id
  /** Always text; `''` for a composition. */
  readonly value: string
  readonly owner: Id
  readonly access: Access
  /** Tells the head of a record, which is empty, and a prototype from a leaf. */
  readonly composition: boolean
  /** As the server wrote it, ISO 8601. */
  readonly created: string
}

/** Who may read a record besides its owner: 3 admins, 4 nobody, 5 everybody. */
export type Access = 3 | 4 | 5

/** The longest value that is shared and found by equality, in UTF-16 units. */
const maxSharedValue = 255

/** Says whether equal texts of one type are one concept. The empty text and long texts are not. */
export const isShared = (value: string): boolean => value !== '' && value.length <= maxSharedValue

/** Says whether a concept is the name of a type, rather than a value or a prototype of one. */
export const isType = (c: Concept): boolean => c.category !== categoryInstance && !c.composition

/** Says whether two records of a concept say the same. */
export const same = (a: Concept, b: Concept): boolean =>
  (Object.keys(b) as (keyof Concept)[]).every((key) => a[key] === b[key])
