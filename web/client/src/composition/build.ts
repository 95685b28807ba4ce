import { isShared } from '../graph/concept.ts'
import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { withoutPrefix, withPrefix } from '../graph/type.ts'
import { type FieldInput, type FieldsInput, maxDepth } from './value.ts'

/** A concept that wants to exist. Its type is found or made by name, used as written. */
interface ConceptDraft {
  readonly ghost: Id
  readonly kind: 'value' | 'composition'
  readonly typeName: string
  readonly value: string
}

/** A connection inside a record: its type is the record's main concept. */
interface ConnectionDraft {
  readonly ghost: Id
  readonly from: Id
  readonly to: Id
  readonly type: Id
}

export interface Drafts {
  readonly concepts: ConceptDraft[]
  readonly connections: ConnectionDraft[]
}

/** Hands out local ids that were not given before. Concepts and connections may count apart. */
export interface Ghosts {
  concept(): Id
  connection(): Id
}

/**
 * Adds to the drafts what a nested record becomes, depth first in the order of its keys, and returns the
 * ghost of its main concept. A scalar becomes a single value. Equal short texts of one type are one
 * concept within the record. Throws `invalid`, naming the path, for what cannot be kept; the drafts then
 * hold a part and are of no use.
 */
export const build = (drafts: Drafts, type: string, value: FieldInput, ghosts: Ghosts): Id =>
  builder(drafts, ghosts, 0).add(0, type, value, 1)

/** Adds fields to the composition main, or to the record of inside it, which exist. */
export const buildFields = (
  drafts: Drafts,
  main: Id,
  fields: FieldsInput,
  ghosts: Ghosts,
  of = main,
): void => builder(drafts, ghosts, main).fields(of, fields, 1)

type Scalar = string | number | boolean | null

function builder({ concepts, connections }: Drafts, ghosts: Ghosts, top: Id) {
  let main = top
  const leaves = new Map<string, ConceptDraft>()
  const path: string[] = []

  const add = (parent: Id, key: string, value: FieldInput, depth: number): Id => {
    path.push(key)
    const record = typeof value === 'object' && value !== null ? value : undefined
    const id = record ? head(key, record, depth) : leaf(key, value as Scalar)
    if (parent !== 0)
      connections.push({ ghost: ghosts.connection(), from: parent, to: id, type: main })
    if (record) fields(id, record as FieldsInput, depth)
    path.pop()
    return id
  }

  const head = (key: string, record: object, depth: number): Id => {
    if (depth > maxDepth) refuse(`is nested deeper than ${maxDepth} levels`)
    const kind = Object.getPrototypeOf(record)
    if (!Array.isArray(record) && kind !== null && Object.getPrototypeOf(kind) !== null)
      refuse('is not data')
    const id = draft('composition', key, '').ghost
    main ||= id
    return id
  }

  const fields = (id: Id, record: FieldsInput, depth: number): void => {
    for (const key of Object.keys(record)) {
      const twin = withoutPrefix(key)
      if (twin !== key && Object.hasOwn(record, twin))
        refuse(`has the keys "${twin}" and "${key}", which are the same`)
      add(id, key, record[key] as FieldInput, depth + 1)
    }
  }

  const leaf = (key: string, scalar: Scalar): Id => {
    const kind = typeof scalar
    if (scalar !== null && kind !== 'string' && kind !== 'boolean' && !Number.isFinite(scalar))
      refuse(`is ${String(scalar)}`)
    const value = String(scalar)
    const type = withPrefix(key)
    if (!isShared(value)) return draft('value', type, value).ghost
    // The first leaf of a value goes by the value: joining a name for each would cost more than the rest.
    const first = leaves.get(value)
    const name = first === undefined || first.typeName === type ? value : `${type}\0${value}`
    const made = leaves.get(name) ?? draft('value', type, value)
    leaves.set(name, made)
    return made.ghost
  }

  const draft = (kind: ConceptDraft['kind'], typeName: string, value: string): ConceptDraft => {
    if (typeName.length > 255 || (typeName.length > 32 && typeName.split('_').length > 33))
      refuse('has a key of more than 255 characters or 32 underscores')
    if (broken.test(typeName) || broken.test(value)) refuse('has a broken character')
    if (value.length > maxText) refuse(`has more than ${maxText} characters`)
    const made = { ghost: ghosts.concept(), kind, typeName, value }
    concepts.push(made)
    return made
  }

  const refuse = (reason: string): never => {
    const where = path.join('.') || 'the record'
    throw new WeftError('invalid', `${where.slice(0, 200)} ${reason}`)
  }

  return { add, fields }
}

/** A NUL character and half of a surrogate pair are texts only in JavaScript. */
const broken = /\0|\p{Surrogate}/u

/** The longest text of all. The server counts bytes and may refuse a shorter one. */
const maxText = 4 << 20
