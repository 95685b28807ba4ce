import type { Client, Write } from '../api.ts'
import { maxDepth } from '../composition/value.ts'
import { internalsOf } from '../internals.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { withPrefix } from '../model/type.ts'
import { type AccessOptions, type Batch, createBatch } from './record-batch.ts'
import { checkTypeName } from './type-names.ts'

/** Describes the members of a type's instances. */
export interface Prototype {
  /** Name of the type. */
  readonly prototype: string
  /** Names of the types of required members. */
  readonly required?: readonly string[]
  /** Names of the types of optional members. */
  readonly optional?: readonly string[]
  /** Prototypes of required members that are records themselves. */
  readonly childPrototypes?: readonly Prototype[]
  /** Stores the prototype as a composition, with `options` and a `querySelector`, instead of a prototype concept. */
  readonly isCompositional?: boolean
  /** Values that a user can choose from. */
  readonly options?: readonly { readonly type: string; readonly value: string }[]
  /** Whether `querySelector` is stored. */
  readonly isQueryType?: boolean
  /** The query that finds further values that a user can choose from. */
  readonly querySelector?: { readonly filterType: string; readonly selector: string } | null
}

/**
 * Writes a prototype and its child prototypes. Throws `invalid` for a missing or malformed type name, and `tooLarge`
 * for more than 100 levels of child prototypes.
 */
export function createPrototype(
  client: Client,
  prototype: Prototype,
  { access }: AccessOptions = {},
): Write {
  const internals = internalsOf(client)
  const batch = createBatch(internals, access)
  const id = addWithChildren(batch, prototype, 1)
  const type = prototype.isCompositional ? 'the_composition' : withPrefix(prototype.prototype)
  return internals.write(batch.records(), 'create', id, { type })
}

/** Adds a prototype with links to its members and child prototypes. Returns its id. */
function addWithChildren(batch: Batch, p: Prototype, depth: number): Id {
  if (depth > maxDepth)
    throw new WeftError('tooLarge', `prototypes nested deeper than ${maxDepth} levels`)
  if (!p.prototype)
    throw new WeftError('invalid', 'a prototype needs the name of its type, in `prototype`')
  const type = withPrefix(checkTypeName(p.prototype))
  const main = p.isCompositional ? addCompositional(batch, p, type) : batch.addPrototype(type)
  const prefix = `the_prototype_of_${type}`
  const link = (name: string, to: Id) => void batch.addConnection(main, batch.addType(name), to)
  for (const name of p.required ?? []) link(`${prefix}_requires`, addNamedType(batch, name))
  for (const name of p.optional ?? []) link(`${prefix}_optional`, addNamedType(batch, name))
  for (const child of p.childPrototypes ?? [])
    link(`${prefix}_requires_the_composition`, addWithChildren(batch, child, depth + 1))
  return main
}

/** Adds a prototype in the form of a composition and returns its id. */
function addCompositional(batch: Batch, p: Prototype, type: string): Id {
  const main = batch.addValue('the_composition', {})
  const link = (name: string, to: Id) => void batch.addConnection(main, batch.addType(name), to)
  link('the_composition_type', batch.addType(type))
  const { querySelector: query, options = [] } = p
  if (p.isQueryType && query) {
    link('the_composition_selector', batch.addValue('the_selector', query.selector))
    link('the_composition_filter_type', batch.addValue('the_filter_type', query.filterType))
  }
  for (const { type, value } of options)
    link('the_composition_s_option', batch.addValue(withPrefix(checkTypeName(type)), value))
  return main
}

const addNamedType = (batch: Batch, name: string): Id =>
  batch.addType(withPrefix(checkTypeName(name)))
