import { isShared } from '../graph/concept.ts'
import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { withoutPrefix, withPrefix } from '../graph/type.ts'
import { type FieldInput, type FieldsInput, maxDepth } from './value.ts'

/** A concept that wants to exist. Its type is found or made by name, used as written. */
export interface ConceptDraft {
  readonly ghost: Id
  readonly kind: 'value' | 'composition'
  readonly typeName: string
  readonly value: string
}

/** A connection inside a record: its type is the record's main concept. */
export interface ConnectionDraft {
  readonly ghost: Id
  readonly from: Id
  readonly to: Id
  readonly type: Id
}

export interface Drafts {
  readonly concepts: ConceptDraft[]
  readonly connections: ConnectionDraft[]
}

/** Hands out local ids that were not given before. Concepts and connections count apart. */
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
  new Builder(drafts, ghosts, 0).add(0, type, value, 1)

/** Where fields go: into the record `parent` of the composition `main`, `depth` levels down. */
export interface Place {
  readonly main: Id
  readonly parent: Id
  readonly depth: number
}

/** Adds fields to a record of a composition that exists. */
export const buildFields = (
  drafts: Drafts,
  place: Place,
  fields: FieldsInput,
  ghosts: Ghosts,
): void => new Builder(drafts, ghosts, place.main).fields(place.parent, fields, place.depth)

class Builder {
  readonly drafts: Drafts
  readonly ghosts: Ghosts
  main: Id
  readonly leaves = new Map<string, Id>()
  readonly path: string[] = []

  constructor(drafts: Drafts, ghosts: Ghosts, main: Id) {
    this.drafts = drafts
    this.ghosts = ghosts
    this.main = main
  }

  add(parent: Id, key: string, value: FieldInput, depth: number): Id {
    this.path.push(key)
    const record = typeof value === 'object' && value !== null ? value : undefined
    const id = record ? this.head(key, record, depth) : this.leaf(key, value as string)
    if (parent !== 0) this.connect(parent, id)
    if (record) this.fields(id, record as FieldsInput, depth)
    this.path.pop()
    return id
  }

  head(key: string, record: object, depth: number): Id {
    if (depth > maxDepth) this.refuse(`is nested deeper than ${maxDepth} levels`)
    const kind = Object.getPrototypeOf(record)
    if (!Array.isArray(record) && kind !== null && Object.getPrototypeOf(kind) !== null)
      this.refuse('is neither text, number, boolean, null, list nor plain object')
    const id = this.draft('composition', key, '')
    this.main ||= id
    return id
  }

  fields(id: Id, record: FieldsInput, depth: number): void {
    for (const key of Object.keys(record)) {
      const twin = withoutPrefix(key)
      if (twin !== key && Object.hasOwn(record, twin))
        this.refuse(`has the keys "${twin}" and "${key}", which are the same`)
      this.add(id, key, record[key] as FieldInput, depth + 1)
    }
  }

  leaf(key: string, scalar: string | number | boolean | null): Id {
    if (scalar !== null && !/^(string|boolean)$/.test(typeof scalar) && !Number.isFinite(scalar))
      this.refuse(`is ${String(scalar)}, which JSON does not know`)
    const value = String(scalar)
    const type = withPrefix(key)
    if (!isShared(value)) return this.draft('value', type, value)
    const name = `${type}\0${value}`
    const known = this.leaves.get(name)
    if (known !== undefined) return known
    const id = this.draft('value', type, value)
    this.leaves.set(name, id)
    return id
  }

  draft(kind: ConceptDraft['kind'], typeName: string, value: string): Id {
    this.check('key', typeName)
    if (typeName.length > 255 || typeName.split('_').length > 33)
      this.refuse('has a key longer than 255 characters or 32 underscores')
    this.check('text', value)
    const ghost = this.ghosts.concept()
    this.drafts.concepts.push({ ghost, kind, typeName, value })
    return ghost
  }

  check(what: string, text: string): void {
    if (text.includes('\0')) this.refuse(`has a NUL character in its ${what}`)
    if (/\p{Surrogate}/u.test(text)) this.refuse(`has half a character in its ${what}`)
  }

  connect(from: Id, to: Id): void {
    this.drafts.connections.push({ ghost: this.ghosts.connection(), from, to, type: this.main })
  }

  refuse(reason: string): never {
    const path = this.path.join('.') || 'the record'
    throw new WeftError(
      'invalid',
      `${path.length > 200 ? `${path.slice(0, 200)}…` : path} ${reason}`,
    )
  }
}
