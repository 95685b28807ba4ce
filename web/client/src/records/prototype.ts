import type { Client, Write } from '../api.ts'
import { maxDepth } from '../composition/value.ts'
import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { withPrefix } from '../graph/type.ts'
import { insideOf } from '../inside.ts'
import { type Batch, batch, type Made } from './batch.ts'
import { typeName } from './name.ts'

/** What instances of a type hold. */
export interface Prototype {
  /** The name of the type. */
  readonly prototype: string
  /** Names of types that an instance must have. */
  readonly required?: readonly string[]
  readonly optional?: readonly string[]
  readonly childPrototypes?: readonly Prototype[]
  /** A record of its own, with options and a query, rather than a concept of the category of prototypes. */
  readonly isCompositional?: boolean
  /** Values that may be chosen. */
  readonly options?: readonly { readonly type: string; readonly value: string }[]
  readonly isQueryType?: boolean
  /** Where values to choose from are found. */
  readonly querySelector?: { readonly filterType: string; readonly selector: string } | null
}

/**
 * Writes a prototype with all those in it. Throws `invalid` for one that names no type, `tooLarge` beyond 100
 * levels.
 */
export function createPrototype(
  client: Client,
  prototype: Prototype,
  { access }: Made = {},
): Write {
  const inside = insideOf(client)
  const made = batch(inside, access)
  const id = pattern(made, prototype, 1)
  const type = prototype.isCompositional ? 'the_composition' : withPrefix(prototype.prototype)
  return inside.write(made.records(), 'create', id, [], [], type)
}

function pattern(made: Batch, p: Prototype, depth: number): Id {
  if (depth > maxDepth)
    throw new WeftError('tooLarge', `prototypes nested deeper than ${maxDepth} levels`)
  if (!p.prototype) throw new WeftError('invalid', 'a prototype names no type')
  const type = withPrefix(typeName(p.prototype))
  const main = p.isCompositional ? compositional(made, p, type) : made.prototype(type)
  const relation = `the_prototype_of_${type}`
  const link = (name: string, to: Id) => void made.connect(main, made.type(name), to)
  for (const name of p.required ?? []) link(`${relation}_requires`, named(made, name))
  for (const name of p.optional ?? []) link(`${relation}_optional`, named(made, name))
  for (const child of p.childPrototypes ?? [])
    link(`${relation}_requires_the_composition`, pattern(made, child, depth + 1))
  return main
}

function compositional(made: Batch, p: Prototype, type: string): Id {
  const main = made.value('the_composition', {})
  const link = (name: string, to: Id) => void made.connect(main, made.type(name), to)
  link('the_composition_type', made.type(type))
  const { querySelector: query, options = [] } = p
  if (p.isQueryType && query) {
    link('the_composition_selector', made.value('the_selector', query.selector))
    link('the_composition_filter_type', made.value('the_filter_type', query.filterType))
  }
  for (const { type, value } of options)
    link('the_composition_s_option', made.value(withPrefix(typeName(type)), value))
  return main
}

const named = (made: Batch, name: string): Id => made.type(withPrefix(typeName(name)))
