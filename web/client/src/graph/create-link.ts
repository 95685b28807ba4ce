import type { Client, Write } from '../api.ts'
import { accessOfLinks } from '../composition/patch.ts'
import { type Internals, internalsOf } from '../internals.ts'
import type { Access } from '../model/concept.ts'
import { orderInternal, orderLink } from '../model/connection.ts'
import { WeftError } from '../model/error.ts'
import { type Id, isReal } from '../model/id.ts'
import { type AccessOptions, type Batch, createBatch } from './record-batch.ts'
import { checkTypeName, legacyRelation, linkRelation } from './type-names.ts'

/** A write that creates a connection. */
export interface ConnectionWrite extends Write {
  /** Local id of the connection; `disconnect` accepts it. */
  readonly connection: Id
}

export interface ConnectOptions extends AccessOptions {
  /** Position among the connections of the record. Default: 1. */
  readonly order?: number
}

/**
 * Connects two concepts. Throws `invalid` for a connection from a concept to itself.
 *
 * @param type name of the connection's type, or id of the record that the connection becomes part of
 */
export function connect(
  client: Client,
  from: Id,
  type: string | Id,
  to: Id,
  { access, order = orderInternal }: ConnectOptions = {},
): ConnectionWrite {
  const internals = internalsOf(client)
  const batch = createBatch(internals, access)
  const typeId = typeof type === 'number' ? type : batch.addType(checkTypeName(type))
  const connection = batch.addConnection(from, typeId, to, order)
  return write(internals, batch, from, connection)
}

/**
 * Links two concepts by a relation. Throws `notFound` for a short relation if the source is not loaded.
 *
 * @param relation full name, such as `the_person_friend`, or the part after the source's type: `friend`, or `s_friend`
 * if the source may have many
 */
export function link(
  client: Client,
  from: Id,
  relation: string,
  to: Id,
  { access }: AccessOptions = {},
): ConnectionWrite {
  const internals = internalsOf(client)
  const batch = createBatch(internals, access)
  const name = linkRelation(
    relation.startsWith('the_') ? '' : typeNameOf(internals, from),
    relation,
  )
  const connection = batch.addConnection(from, batch.addType(name), to)
  return write(internals, batch, from, connection)
}

export interface LinkerOptions extends AccessOptions {
  /** Also creates the reverse link, `<type of the target>_s_<linker>_by`. */
  readonly both?: boolean
  /**
   * Also stores the number of these links at each source, counted in the local graph. Without `access`, a new number
   * keeps the access of the number that it replaces.
   */
  readonly count?: boolean
}

/**
 * Links two concepts in the legacy form: the connection's type is a value of `the_connection` with the text `<type of
 * the source>_s_<linker>_s`. Throws `notFound` if `from` or `to` is not loaded.
 */
export function linkLegacy(
  client: Client,
  from: Id,
  linker: string,
  to: Id,
  { access, both = false, count = false }: LinkerOptions = {},
): ConnectionWrite {
  const internals = internalsOf(client)
  const batch = createBatch(internals, access)
  const replaced: Id[] = []
  const addLink = (from: Id, name: string, to: Id): Id => {
    if (count)
      replaced.push(...replaceLinkCount(internals, batch, from, { name: `${name}_count`, access }))
    return batch.addConnection(from, legacyLinker(internals, batch, name), to)
  }
  if (both) addLink(to, legacyRelation(typeNameOf(internals, to), `${linker}_by`), from)
  const connection = addLink(from, legacyRelation(typeNameOf(internals, from), `${linker}_s`), to)
  return write(internals, batch, from, connection, replaced)
}

/** Finds or adds the linker with a name. Linkers are public: other users need them to read the links. */
function legacyLinker({ graph }: Internals, batch: Batch, name: string): Id {
  const known = graph.find('the_connection', name)?.id
  return known && isReal(graph.real(known)) ? known : batch.addValue('the_connection', name, 5)
}

/** Adds an incremented count to a concept. Returns the connections to the previous counts. */
function replaceLinkCount(
  internals: Internals,
  batch: Batch,
  of: Id,
  { name, access }: { readonly name: string; readonly access?: Access | undefined },
): Id[] {
  const { graph } = internals
  const linker = graph.find('the_connection', name)
  const before = linker ? graph.out(of, linker.id) : []
  const numbers = before.map((c) => Number(graph.concept(c.to)?.value) || 0)
  const accessBefore =
    before.length > 0 ? accessOfLinks(graph, 0, before, batch.createDraft()) : undefined
  const countAccess = access ?? accessBefore
  const newCount = batch.addValue('the_count', Math.max(0, ...numbers) + 1, countAccess)
  const type = legacyLinker(internals, batch, name)
  batch.addConnection(of, type, newCount, orderLink, countAccess)
  return before.map((c) => c.id)
}

/** Returns the name of a concept's type. Throws `notFound` if the concept is not loaded. */
export function typeNameOf({ graph }: Internals, id: Id): string {
  const type = graph.concept(graph.concept(id)?.type ?? 0)?.value
  if (type === undefined) throw new WeftError('notFound', `concept ${id} is not loaded`)
  return type
}

const write = (
  { graph, write }: Internals,
  batch: Batch,
  from: Id,
  connection: Id,
  removed: readonly Id[] = [],
): ConnectionWrite =>
  Object.assign(
    write(batch.records(), 'update', graph.canonical(from), { removeConnections: removed }),
    { connection },
  )
