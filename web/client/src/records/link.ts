import type { Client, Write } from '../api.ts'
import { orderInternal } from '../graph/connection.ts'
import { WeftError } from '../graph/error.ts'
import { type Id, isReal } from '../graph/id.ts'
import { type Inside, insideOf } from '../inside.ts'
import { type Batch, batch, type Made } from './batch.ts'
import { linkerName, linkName, typeName } from './name.ts'

/** A write that makes a connection. */
export interface Connecting extends Write {
  /** The local id of the connection, which `disconnect` takes. */
  readonly connection: Id
}

export interface ConnectOptions extends Made {
  /** 1 when left out. */
  readonly order?: number
}

/**
 * Connects two concepts. The type is the name of one, or the id of the main concept of a record that the
 * connection is to be inside of. Throws `invalid` for a connection from a concept to itself.
 */
export function connect(
  client: Client,
  from: Id,
  type: string | Id,
  to: Id,
  { access, order = orderInternal }: ConnectOptions = {},
): Connecting {
  const inside = insideOf(client)
  const made = batch(inside, access)
  const of = typeof type === 'number' ? type : made.type(typeName(type))
  const connection = made.connect(from, of, to, order)
  return write(inside, made, from, connection)
}

/**
 * Links two concepts by a relation: the whole name of the type, `the_person_friend`, or what stands behind
 * the name of the source's type, `friend`, `s_friend` where there are many. For that the source must be here:
 * throws `notFound` if it is not.
 */
export function link(
  client: Client,
  from: Id,
  relation: string,
  to: Id,
  { access }: Made = {},
): Connecting {
  const inside = insideOf(client)
  const made = batch(inside, access)
  const name = linkName(relation.startsWith('the_') ? '' : typeAt(inside, from), relation)
  const connection = made.connect(from, made.type(name), to)
  return write(inside, made, from, connection)
}

export interface LinkerOptions extends Made {
  /** Also backwards, as `<type of the target>_s_<linker>_by`. */
  readonly both?: boolean
  /** Keeps the number of such links at each source, as it is known here, beside them. */
  readonly count?: boolean
}

/**
 * Links two concepts as in former times, by a value of `the_connection` named `<type of the source>_s_<linker>_s`.
 * Both ends must be here: throws `notFound` if one is not.
 */
export function linkFormerly(
  client: Client,
  from: Id,
  linker: string,
  to: Id,
  { access, both = false, count = false }: LinkerOptions = {},
): Connecting {
  const inside = insideOf(client)
  const made = batch(inside, access)
  const gone: Id[] = []
  const walk = (from: Id, name: string, to: Id): Id => {
    if (count) gone.push(...counted(inside, made, from, `${name}_count`))
    return made.connect(from, linkerOf(inside, made, name), to)
  }
  if (both) walk(to, linkerName(typeAt(inside, to), `${linker}_by`), from)
  const connection = walk(from, linkerName(typeAt(inside, from), `${linker}_s`), to)
  return write(inside, made, from, connection, gone)
}

/** A linker is everybody's, or nobody else could tell by its name what it is. */
function linkerOf({ graph }: Inside, made: Batch, name: string): Id {
  const known = graph.find('the_connection', name)?.id
  return known && isReal(graph.real(known)) ? known : made.value('the_connection', name, 5)
}

/** Puts a number one larger beside a concept. Returns the connections to those before. */
function counted(inside: Inside, made: Batch, of: Id, name: string): Id[] {
  const { graph } = inside
  const linker = graph.find('the_connection', name)
  const before = linker ? graph.out(of, linker.id) : []
  const numbers = before.map((c) => Number(graph.concept(c.to)?.value) || 0)
  const next = made.value('the_count', Math.max(0, ...numbers) + 1)
  made.connect(of, linkerOf(inside, made, name), next)
  return before.map((c) => c.id)
}

/** The name of the type of a concept that is here. */
export function typeAt({ graph }: Inside, id: Id): string {
  const type = graph.concept(graph.concept(id)?.type ?? 0)?.value
  if (type === undefined) throw new WeftError('notFound', `concept ${id} is not loaded`)
  return type
}

const write = (
  { graph, write }: Inside,
  made: Batch,
  from: Id,
  connection: Id,
  gone?: readonly Id[],
): Connecting =>
  Object.assign(write(made.records(), 'update', graph.name(from), [], gone), { connection })
