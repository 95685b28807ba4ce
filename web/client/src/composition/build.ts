import { type Access, type Concept, isShared } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { WeftError } from '../graph/error.ts'
import { categoryInstance as category, anonymous as owner } from '../graph/fixed.ts'
import type { Id } from '../graph/id.ts'
import { withoutPrefix, withPrefix } from '../graph/type.ts'
import { type FieldInput, type FieldsInput, maxDepth } from './value.ts'

/** Hands out local ids that were not given before. Concepts and connections may count apart. */
export interface Ghosts {
  concept(): Id
  connection(): Id
}

/** A type, and the write it was last used in. */
export interface TypeInUse {
  readonly concept: Concept
  draft: Draft | undefined
  /** The first leaf of the type there, and all by their values where there are several. */
  leaf: Concept | undefined
  leaves: Map<string, Concept> | undefined
}

/** The type of that name, used as written, which is found or made. The draft has it then. */
export type TypeOf = (name: string, draft: Draft) => TypeInUse

/** The records of a write that is being made. */
export interface Draft {
  /** Those they are of, some perhaps more than once. */
  readonly types: Concept[]
  readonly concepts: Concept[]
  readonly connections: Connection[]
  readonly ghosts: Ghosts
  readonly typeOf: TypeOf
  /** What a record that exists is called. */
  real(id: Id): Id
  readonly order: number
  readonly access: Access
  readonly created: string
}

/**
 * Adds to the draft what a nested record becomes, depth first in the order of its keys, and returns the
 * id of its main concept. A scalar becomes a single value. Equal short texts of one type are one
 * concept within the record. Throws `invalid`, naming the path, for what cannot be kept; the draft then
 * holds a part and is of no use.
 */
export const build = (draft: Draft, type: string, value: FieldInput): Id =>
  add({ draft, main: 0, path: [] }, 0, type, value, 1)

/** Adds fields to the composition main, or to the record of inside it, which exist. */
export const buildFields = (draft: Draft, main: Id, input: FieldsInput, of = main): void =>
  fields({ draft, main: draft.real(main), path: [] }, draft.real(of), input, 1)

type Scalar = string | number | boolean | null

/** One record being built. */
interface Building {
  readonly draft: Draft
  main: Id
  readonly path: string[]
}

function add(b: Building, from: Id, key: string, value: FieldInput, depth: number): Id {
  b.path.push(key)
  const record = typeof value === 'object' && value !== null ? value : undefined
  const to = record ? head(b, key, record, depth) : leaf(b, key, value as Scalar)
  if (from !== 0) {
    const { connections, ghosts, order, access, created } = b.draft
    const id = ghosts.connection()
    connections.push({ id, from, to, type: b.main, order, owner, access, created })
  }
  if (record) fields(b, to, record as FieldsInput, depth)
  b.path.pop()
  return to
}

function head(b: Building, key: string, record: object, depth: number): Id {
  if (depth > maxDepth) refuse(b, `is nested deeper than ${maxDepth} levels`)
  const kind = Object.getPrototypeOf(record)
  if (!Array.isArray(record) && kind !== null && Object.getPrototypeOf(kind) !== null)
    refuse(b, 'is not data')
  checkName(b, key)
  const { id } = make(b, b.draft.typeOf(key, b.draft).concept.id, '', true)
  b.main ||= id
  return id
}

function fields(b: Building, id: Id, record: FieldsInput, depth: number): void {
  for (const key of Object.keys(record)) {
    const twin = withoutPrefix(key)
    if (twin !== key && Object.hasOwn(record, twin))
      refuse(b, `has the keys "${twin}" and "${key}", which are the same`)
    add(b, id, key, record[key] as FieldInput, depth + 1)
  }
}

function leaf(b: Building, key: string, scalar: Scalar): Id {
  const kind = typeof scalar
  if (scalar !== null && kind !== 'string' && kind !== 'boolean' && !Number.isFinite(scalar))
    refuse(b, `is ${String(scalar)}`)
  const value = String(scalar)
  const type = b.draft.typeOf(typeName(b, key), b.draft)
  const { id } = type.concept
  if (!isShared(value)) return make(b, id, value, false).id
  const { leaf, leaves } = type
  const made = leaf?.value === value ? leaf : (leaves?.get(value) ?? make(b, id, value, false))
  // A map for each type would cost more than the rest.
  if (!leaf) type.leaf = made
  else {
    type.leaves ??= new Map()
    type.leaves.set(value, made)
  }
  return made.id
}

function make(b: Building, type: Id, value: string, composition: boolean): Concept {
  checkText(b, value)
  if (value.length > maxText) refuse(b, `has more than ${maxText} characters`)
  const { concepts, ghosts, access, created } = b.draft
  const id = ghosts.concept()
  const made = { id, type, category, value, owner, access, composition, created }
  concepts.push(made)
  return made
}

/** The type names of the keys of texts so far: making and checking one costs more than all else. */
const types = new Map<string, string>()

function typeName(b: Building, key: string): string {
  const known = types.get(key)
  if (known) return known
  const type = withPrefix(key)
  checkName(b, type)
  types.set(key, type)
  return type
}

function checkName(b: Building, name: string): void {
  if (name.length > 255 || (name.length > 32 && name.split('_').length > 33))
    refuse(b, 'has a key of more than 255 characters or 32 underscores')
  checkText(b, name)
}

function checkText(b: Building, text: string): void {
  if (broken.test(text)) refuse(b, 'has a broken character')
}

function refuse(b: Building, reason: string): never {
  const where = b.path.join('.') || 'the record'
  throw new WeftError('invalid', `${where.slice(0, 200)} ${reason}`)
}

/** A NUL character and half of a surrogate pair are texts only in JavaScript. */
const broken = /\0|\p{Surrogate}/u

/** The longest text of all. The server counts bytes and may refuse a shorter one. */
const maxText = 4 << 20
