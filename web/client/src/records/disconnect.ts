import type { Client, Write } from '../api.ts'
import type { Connection } from '../graph/connection.ts'
import { WeftError } from '../graph/error.ts'
import { type Id, isReal } from '../graph/id.ts'
import { type Inside, insideOf } from '../inside.ts'
import { connectionsOf } from '../wire/connection.ts'
import { listOf } from '../wire/shape.ts'
import { ask, orHere } from './ask.ts'
import { unwritten } from './concept.ts'
import { typeAt } from './link.ts'
import { linkerName, linkName } from './name.ts'

/** Removes a connection, or several at once, here or not, all or none. Throws `invalid` for what is no id. */
export function disconnect(client: Client, ids: Id | readonly Id[]): Write {
  const inside = insideOf(client)
  const { graph } = inside
  const all = [...new Set([ids].flat().map((id) => graph.realConnection(id)))]
  if (all.some((id) => !id)) throw new WeftError('invalid', `a connection is not ${all}`)
  const [first] = all
  if (first === undefined) return unwritten(inside, 0)
  // Concepts and connections count in one row, so what is not here is about nothing else.
  const about = graph.connection(first)?.from ?? first
  return inside.write({ concepts: [], connections: [] }, 'update', about, [], all)
}

/** A link by its ends, as `link` was told of it. */
export interface Ends {
  readonly from: Id
  readonly relation: string
  readonly to: Id
  /** It was made by `linkFormerly`: the relation is `friend_s`, backwards `friend_by`. */
  readonly legacy?: boolean
}

/** Removes every link of a relation between two concepts. Without a server, those that are here. */
export const unlink = (client: Client, from: Id, relation: string, to: Id): Promise<Write> =>
  unlinkEach(client, [{ from, relation, to }])

/** As unlink, for many, all or none. */
export const unlinkEach = async (client: Client, links: readonly Ends[]): Promise<Write> =>
  disconnect(
    client,
    (await between(client, links)).map((c) => c.id),
  )

/** Every link between some concepts, each once. Without a server, those that are here. */
export async function between(client: Client, links: readonly Ends[]): Promise<Connection[]> {
  const inside = insideOf(client)
  const { graph, fetcher } = inside
  const named = links.map((ends) => ({ ...ends, name: nameOf(inside, ends) }))
  const asked = named.filter(({ from, to }) => isReal(graph.real(from)) && isReal(graph.real(to)))
  const questions = asked.map(({ from, to, name, legacy }) => ({
    ofTheConceptId: graph.real(from),
    toTheConceptId: graph.real(to),
    [legacy ? 'oldType' : 'type']: name,
  }))
  const path = '/api/get-connection-between'
  const answers = questions.length > 0 && (await orHere(ask(inside, path, questions)))
  const there = listOf(answers || []).flatMap(
    (found) => listOf((found as { connectionIds?: unknown } | null)?.connectionIds) as Id[],
  )
  await orHere((await fetcher()).connections(there))
  const here = named.flatMap(({ from, to, name, legacy }) =>
    ofType(inside, from, name, legacy).filter((c) => c.to === graph.name(to)),
  )
  return [...new Set([...here, ...there.flatMap((id) => graph.connection(id) ?? [])])]
}

/**
 * Removes all connections of some types that leave a concept: those that are here and the newest 10,000 of the
 * server's.
 */
export async function unlinkAll(
  client: Client,
  from: Id,
  relations: string | readonly string[],
): Promise<Write> {
  const inside = insideOf(client)
  const names = [relations].flat().map((relation) => nameOf(inside, { from, relation }))
  const ofTheConceptId = inside.graph.real(from)
  const path = '/api/get-connection-by-types'
  const body = { ofTheConceptId, connectionTypes: names }
  const answer = isReal(ofTheConceptId) && (await orHere(ask(inside, path, body)))
  const there = connectionsOf(answer || [])
  const here = names.flatMap((name) => ofType(inside, from, name))
  return disconnect(
    client,
    [...here, ...there].map((c) => c.id),
  )
}

function nameOf(inside: Inside, { from, relation, legacy }: Omit<Ends, 'to'>): string {
  const source = relation.startsWith('the_') ? '' : typeAt(inside, from)
  return legacy ? linkerName(source, relation) : linkName(source, relation)
}

function ofType({ graph }: Inside, from: Id, name: string, legacy = false): readonly Connection[] {
  const type = legacy ? graph.find('the_connection', name)?.id : graph.type(name)
  return type === undefined ? [] : graph.out(from, type)
}
