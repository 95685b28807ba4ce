import type { Client, Write } from '../api.ts'
import { type Internals, internalsOf } from '../internals.ts'
import type { Connection } from '../model/connection.ts'
import { WeftError } from '../model/error.ts'
import { type Id, isReal } from '../model/id.ts'
import { decodeConnections } from '../wire/connection-codec.ts'
import { expectList } from '../wire/expect.ts'
import { emptyWrite } from './create-concept.ts'
import { typeNameOf } from './create-link.ts'
import { orLocal, requestAsUser } from './server-requests.ts'
import { legacyRelation, linkRelation } from './type-names.ts'

/** Removes connections in one write, even if they are not loaded. Throws `invalid` for id 0. */
export function disconnect(client: Client, ids: Id | readonly Id[]): Write {
  const internals = internalsOf(client)
  const { graph } = internals
  const all = [...new Set([ids].flat().map((id) => graph.realConnection(id)))]
  if (all.some((id) => !id))
    throw new WeftError('invalid', `invalid id in the list of connections: ${all}`)
  const [first] = all
  if (first === undefined) return emptyWrite(internals, 0)
  // The write is reported as a change of the source. If the connection is not loaded, the write is reported under the
  // id of the connection, which no concept has.
  const source = graph.connection(first)?.from ?? first
  return internals.write({ concepts: [], connections: [] }, 'update', source, {
    removeConnections: all,
  })
}

/** The arguments with which a link was created. */
export interface ConnectionEnds {
  readonly from: Id
  readonly relation: string
  readonly to: Id
  /** Set for links of `linkLegacy`. The relation is then `friend_s`, or `friend_by` for reverse links. */
  readonly legacy?: boolean
}

/**
 * Removes all links of a relation between two concepts. While the server is unavailable, removes only the loaded ones.
 */
export const unlink = (client: Client, from: Id, relation: string, to: Id): Promise<Write> =>
  unlinkEach(client, [{ from, relation, to }])

/** Removes the links between several pairs of concepts, in one write. */
export const unlinkEach = async (
  client: Client,
  links: readonly ConnectionEnds[],
): Promise<Write> =>
  disconnect(
    client,
    (await findConnectionsBetween(client, links)).map((c) => c.id),
  )

/**
 * Finds the links between pairs of concepts and returns each link once. While the server is unavailable, finds only the
 * loaded ones.
 */
export async function findConnectionsBetween(
  client: Client,
  links: readonly ConnectionEnds[],
): Promise<Connection[]> {
  const internals = internalsOf(client)
  const { graph, fetcher } = internals
  const named = links.map((ends) => ({ ...ends, name: relationName(internals, ends) }))
  const onServer = named.filter(
    ({ from, to }) => isReal(graph.real(from)) && isReal(graph.real(to)),
  )
  const requests = onServer.map(({ from, to, name, legacy }) => ({
    ofTheConceptId: graph.real(from),
    toTheConceptId: graph.real(to),
    [legacy ? 'oldType' : 'type']: name,
  }))
  const path = '/api/get-connection-between'
  const response = requests.length > 0 && (await orLocal(requestAsUser(internals, path, requests)))
  const ids = expectList(response || []).flatMap(
    (found) => expectList((found as { connectionIds?: unknown } | null)?.connectionIds) as Id[],
  )
  await orLocal((await fetcher()).fetchConnections(ids))
  const local = named.flatMap(({ from, to, name, legacy }) =>
    linksOfType(internals, from, name, legacy).filter((c) => c.to === graph.canonical(to)),
  )
  return [...new Set([...local, ...ids.flatMap((id) => graph.connection(id) ?? [])])]
}

/**
 * Removes all links of the given relations from a concept: all loaded links, and the newest 10,000 links on the server.
 * Links of `linkLegacy` with the same full name are also removed.
 *
 * @param relations full names, or the parts after the source's type: `friend`, or `friend_s` with `legacy`
 */
export async function unlinkAll(
  client: Client,
  from: Id,
  relations: string | readonly string[],
  { legacy = false }: Pick<ConnectionEnds, 'legacy'> = {},
): Promise<Write> {
  const internals = internalsOf(client)
  const nameOf = (relation: string) => relationName(internals, { from, relation, legacy })
  const names = [relations].flat().map(nameOf)
  const ofTheConceptId = internals.graph.real(from)
  const path = '/api/get-connection-by-types'
  const body = { ofTheConceptId, connectionTypes: names }
  const response = isReal(ofTheConceptId) && (await orLocal(requestAsUser(internals, path, body)))
  const remote = decodeConnections(response || [])
  const local = names.flatMap((name) => [
    ...linksOfType(internals, from, name),
    ...linksOfType(internals, from, name, true),
  ])
  return disconnect(
    client,
    [...local, ...remote].map((c) => c.id),
  )
}

function relationName(
  internals: Internals,
  { from, relation, legacy }: Omit<ConnectionEnds, 'to'>,
): string {
  const source = relation.startsWith('the_') ? '' : typeNameOf(internals, from)
  return legacy ? legacyRelation(source, relation) : linkRelation(source, relation)
}

function linksOfType(
  { graph }: Internals,
  from: Id,
  name: string,
  legacy = false,
): readonly Connection[] {
  const type = legacy ? graph.find('the_connection', name)?.id : graph.type(name)
  return type === undefined ? [] : graph.out(from, type)
}
