import { type Access, type Concept, isShared } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import { WeftError } from '../model/error.ts'
import { categoryInstance } from '../model/fixed.ts'
import type { Id } from '../model/id.ts'
import { withoutPrefix, withPrefix } from '../model/type.ts'
import { type FieldInput, type FieldsInput, maxDepth } from './value.ts'

/*
 * composition/ turns nested data into concepts and connections and back. Its rules are those of the Go package of that
 * name; the shared cases in `spec/` check both.
 *
 * | file | direction | cost |
 * |---|---|---|
 * | `build.ts` | nested data → records of a draft | one concept and one connection for each value |
 * | `patch.ts` | changed fields → records to add, connections to remove | the fields of the record, see there |
 * | `read.ts` | records → nested data | one visit of each connection of the record |
 * | `reader.ts` | the interface of a graph that these read | |
 * | `value.ts` | the types of nested data, and its limits | |
 */

/** Returns local ids that have not been used before. A concept and a connection may have the same id. */
export interface LocalIds {
  concept(): Id
  connection(): Id
}

/** A type concept, and its values in the draft that used it last. */
export interface TypeInUse {
  readonly concept: Concept
  draft: Draft | undefined
  /** The first shared value of the type in the draft. */
  firstLeaf: Concept | undefined
  /** The other shared values by their text; undefined if there are none. */
  leavesByValue: Map<string, Concept> | undefined
}

/** Finds or creates the type with exactly this name, and adds it to the types of the draft. */
export type TypeOf = (name: string, draft: Draft) => TypeInUse

/** The records of a write that is being built. */
export interface Draft {
  /** The types of the concepts. A type may be listed more than once. */
  readonly types: Concept[]
  readonly concepts: Concept[]
  readonly connections: Connection[]
  readonly localIds: LocalIds
  readonly typeOf: TypeOf
  /** Returns the id by which the draft refers to a record that exists. */
  real(id: Id): Id
  /** The order number of the connections. */
  readonly order: number
  /** The owner that the new records have until the server decides it. */
  readonly owner: Id
  readonly access: Access
  readonly created: string
}

/**
 * Adds a nested record to the draft, depth first in the order of its keys, and returns the id of its main concept. A
 * scalar becomes a single value. Equal strings of one type, up to 255 UTF-16 units, become one concept. Throws
 * `invalid`, naming the path of the value, for data that cannot be stored; the draft is then incomplete and must not be
 * used.
 */
export const build = (draft: Draft, type: string, value: FieldInput): Id =>
  addValue({ draft, main: 0, path: [], outerDepth: 0 }, 0, type, value)

/** Adds fields to the composition `main`, or to the record `of` inside it. Both exist already. */
export function buildFields(draft: Draft, main: Id, input: FieldsInput, of = main): void {
  const building: Building = { draft, main: draft.real(main), path: [], outerDepth: 1 }
  addFields(building, draft.real(of), input)
}

type Scalar = string | number | boolean | null

/** A record while it is being built. */
interface Building {
  readonly draft: Draft
  /** The main concept of the composition, or 0 before it is created. */
  main: Id
  /** The keys that lead to the current value. */
  readonly path: string[]
  /** The depth of the record in which the path starts: 0 for a new composition, 1 for an existing one. */
  readonly outerDepth: 0 | 1
}

function addValue(b: Building, from: Id, key: string, value: FieldInput): Id {
  b.path.push(key)
  const record = typeof value === 'object' && value !== null ? value : undefined
  const to = record ? addHead(b, key, record) : addLeaf(b, key, value as Scalar)
  if (from !== 0) {
    const { connections, localIds, order, owner, access, created } = b.draft
    const id = localIds.connection()
    connections.push({ id, from, to, type: b.main, order, owner, access, created })
  }
  if (record) addFields(b, to, record as FieldsInput)
  b.path.pop()
  return to
}

/** Adds the main concept of a nested record, whose text is empty. */
function addHead(b: Building, key: string, record: object): Id {
  if (b.path.length + b.outerDepth > maxDepth) refuse(b, `is nested deeper than ${maxDepth} levels`)
  const prototype = Object.getPrototypeOf(record)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  if (!Array.isArray(record) && !isPlain) refuse(b, `is a ${prototype.constructor?.name}, not data`)
  checkName(b, key)
  const { id } = addConcept(b, b.draft.typeOf(key, b.draft).concept.id, '', true)
  b.main ||= id
  return id
}

function addFields(b: Building, id: Id, record: FieldsInput): void {
  for (const key of Object.keys(record)) {
    const bare = withoutPrefix(key)
    if (bare !== key && Object.hasOwn(record, bare))
      refuse(b, `has the keys "${bare}" and "${key}", which are the same`)
    addValue(b, id, key, record[key] as FieldInput)
  }
}

/** Adds the concept of a scalar, unless the draft has an equal concept that can be shared. */
function addLeaf(b: Building, key: string, scalar: Scalar): Id {
  const kind = typeof scalar
  if (scalar !== null && kind !== 'string' && kind !== 'boolean' && !Number.isFinite(scalar))
    refuse(b, `is ${String(scalar)}`)
  const value = String(scalar)
  const type = b.draft.typeOf(leafTypeName(b, key), b.draft)
  const { id } = type.concept
  if (!isShared(value)) return addConcept(b, id, value, false).id
  const { firstLeaf, leavesByValue } = type
  if (firstLeaf?.value === value) return firstLeaf.id
  const leaf = leavesByValue?.get(value) ?? addConcept(b, id, value, false)
  // Most types have one value in a record. A Map for each type would cost more than everything else here.
  if (!firstLeaf) type.firstLeaf = leaf
  else {
    type.leavesByValue ??= new Map()
    type.leavesByValue.set(value, leaf)
  }
  return leaf.id
}

function addConcept(b: Building, type: Id, value: string, composition: boolean): Concept {
  checkText(b, value)
  if (value.length > maxText) refuse(b, `has more than ${maxText} characters`)
  const { concepts, localIds, owner, access, created } = b.draft
  const id = localIds.concept()
  const concept = {
    id,
    type,
    category: categoryInstance,
    value,
    owner,
    access,
    composition,
    created,
  }
  concepts.push(concept)
  return concept
}

/**
 * The type names of keys that were used before. They are cached because building and checking a name costs more than
 * the rest of the work for a leaf.
 */
const typeNames = new Map<string, string>()

function leafTypeName(b: Building, key: string): string {
  const known = typeNames.get(key)
  if (known) return known
  const name = withPrefix(key)
  checkName(b, name)
  typeNames.set(key, name)
  return name
}

function checkName(b: Building, name: string): void {
  if (name.length > 255 || (name.length > 32 && name.split('_').length > 33))
    refuse(b, 'has a key of more than 255 characters or 32 underscores')
  checkText(b, name)
}

function checkText(b: Building, text: string): void {
  if (brokenCharacter.test(text)) refuse(b, 'has NUL or a lone surrogate')
}

function refuse(b: Building, reason: string): never {
  const where = b.path.join('.') || 'the record'
  throw new WeftError('invalid', `${where.slice(0, 200)} ${reason}`)
}

/** Matches NUL and half of a surrogate pair. JavaScript strings may contain them; UTF-8 and databases may not. */
const brokenCharacter = /\0|\p{Surrogate}/u

/** The maximum length of a value in UTF-16 units. The server counts bytes, so it may refuse a shorter value. */
const maxText = 4 << 20
