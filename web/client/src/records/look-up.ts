import type { Client } from '../api.ts'
import { type Concept, isShared } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { anonymous } from '../graph/fixed.ts'
import { type Id, isLocal, isReal } from '../graph/id.ts'
import { withPrefix } from '../graph/type.ts'
import { type Inside, insideOf } from '../inside.ts'
import { conceptsOf } from '../wire/concept.ts'
import { connectionsOf } from '../wire/connection.ts'
import { listOf, recordOf } from '../wire/shape.ts'
import { ask, orHere, parts, take } from './ask.ts'

/** The concepts that are here or at the server, in the order of their ids; what nobody has is left out. */
export async function concepts(client: Client, ids: readonly Id[]): Promise<Concept[]> {
  const { graph, fetcher, used } = insideOf(client)
  await orHere((await fetcher()).concepts(ids))
  const found = ids.flatMap((id) => graph.concept(id) ?? [])
  used?.(found.map((c) => c.id))
  return found
}

/** As concepts, of connections. Their ends and types are fetched with them. */
export async function connections(client: Client, ids: readonly Id[]): Promise<Connection[]> {
  const { graph, fetcher, used } = insideOf(client)
  await orHere((await fetcher()).connections(ids))
  const found = ids.flatMap((id) => graph.connection(id) ?? [])
  used?.(
    [],
    found.map((c) => c.id),
  )
  return found
}

/**
 * The types of these names that are here or at the server; the names are used as written. What is asked for in
 * one tick is one request.
 */
export async function types(client: Client, names: readonly string[]): Promise<Concept[]> {
  const inside = insideOf(client)
  const missing = names.filter((name) => inside.graph.type(name) === undefined)
  if (missing.length > 0) await orHere(named(inside, missing))
  return names.flatMap((name) => inside.graph.concept(inside.graph.type(name) ?? 0) ?? [])
}

/** The type of that name. Undefined when nobody made it. */
export const type = async (client: Client, name: string): Promise<Concept | undefined> =>
  (await types(client, [name]))[0]

const asking = new WeakMap<Inside, { names: Set<string>; done: Promise<void> }>()

/** Asks once for all the names of a tick. */
function named(inside: Inside, names: readonly string[]): Promise<void> {
  let next = asking.get(inside)
  if (!next) {
    const all = new Set<string>()
    next = { names: all, done: Promise.resolve().then(() => askNames(inside, all)) }
    asking.set(inside, next)
  }
  for (const name of names) next.names.add(name)
  return next.done
}

async function askNames(inside: Inside, names: ReadonlySet<string>): Promise<void> {
  asking.delete(inside)
  const ids = await ask(inside, '/api/get_type_concept_by_character_bulk', [...names])
  await (await inside.fetcher()).concepts(listOf(ids) as Id[])
}

/**
 * A value by its type, which gets `the_` in front, and its text: one that is here, or else one of the server's.
 * Undefined where there is none.
 */
export async function find(
  client: Client,
  typeName: string,
  value: string,
): Promise<Concept | undefined> {
  const inside = insideOf(client)
  const { graph } = inside
  const name = withPrefix(typeName)
  const here = graph.find(name, value)
  if (here || !isShared(value)) return here
  const type_id = graph.real((await type(client, name))?.id ?? 0)
  if (!isReal(type_id)) return undefined
  const path = '/api/get_concept_by_character_and_type'
  await orHere(one(inside, path, { character_value: value, type_id }))
  return graph.find(name, value)
}

/**
 * A concept by its text alone, as the server tells: a bare word, or else a type of that name, or else a value.
 * Undefined where there is none, or no server.
 */
export async function findByValue(client: Client, value: string): Promise<Concept | undefined> {
  const inside = insideOf(client)
  const path = '/api/get_concept_by_character_value'
  const id = await orHere(one(inside, path, { character_value: value }))
  return id ? inside.graph.concept(id) : undefined
}

/** Takes in the one concept of an answer. The id 0 is nobody's. */
async function one(inside: Inside, path: string, body: object): Promise<Id> {
  const answer = recordOf(await ask(inside, path, body))
  take(inside, { concepts: conceptsOf([answer]), connections: [] })
  return answer.id
}

/**
 * What a local id of an earlier visit became, should this browser no longer know. Undefined where nobody knows.
 */
export async function translate(client: Client, id: Id): Promise<Concept | undefined> {
  const inside = insideOf(client)
  const { graph } = inside
  if (isLocal(graph.real(id)) && !graph.concept(id)) {
    const real = await orHere(one(inside, '/api/v1/local-concepts-translate', { id }))
    const nothing = { concepts: [], connections: [], connectionIds: [] }
    if (real) graph.join({ ...nothing, conceptIds: [[id, real]] })
  }
  return graph.concept(id)
}

/** Brings the concepts here that the server thinks worth having from the start. */
export async function preload(client: Client): Promise<void> {
  const inside = insideOf(client)
  for await (const part of parts(inside, '/api/get-preloaded-concepts', {}))
    take(inside, { concepts: conceptsOf(part), connections: [] })
}

/** How many connections one request of `prefetch` brings. */
const atOnce = 500

/** Brings all connections of a user here, with what they connect: of whoever is signed in when left out. */
export async function prefetch(client: Client, user = client.user): Promise<void> {
  const inside = insideOf(client)
  const fields = { user_id: user ?? anonymous, inpage: atOnce }
  for await (const part of parts(inside, '/api/get_all_connections_of_user', fields, 'POST')) {
    const found = connectionsOf(part)
    take(inside, { concepts: [], connections: found })
    await (await inside.fetcher()).connections(found.map((c) => c.id))
  }
}
