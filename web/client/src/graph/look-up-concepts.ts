import type { Client } from '../api.ts'
import { type Internals, internalsOf } from '../internals.ts'
import { type Concept, isShared } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import { WeftError } from '../model/error.ts'
import { anonymous } from '../model/fixed.ts'
import { type Id, isLocal, isReal } from '../model/id.ts'
import { withPrefix } from '../model/type.ts'
import { decodeConcepts } from '../wire/concept-codec.ts'
import { decodeConnections } from '../wire/connection-codec.ts'
import { expectList, expectRecord } from '../wire/expect.ts'
import { ignoreError } from '../wire/retry.ts'
import { addReceived, fetchPages, orLocal, requestAsUser } from './server-requests.ts'

/** Returns concepts in the order of `ids` and fetches those that are not loaded. Missing concepts are left out. */
export async function getConcepts(client: Client, ids: readonly Id[]): Promise<Concept[]> {
  const { graph, fetcher, onUse } = internalsOf(client)
  await orLocal((await fetcher()).fetchConcepts(ids))
  const found = ids.flatMap((id) => graph.concept(id) ?? [])
  onUse?.(found.map((c) => c.id))
  return found
}

/**
 * Returns connections in the order of `ids` and fetches those that are not loaded, with their ends and types. Missing
 * connections are left out.
 */
export async function getConnections(client: Client, ids: readonly Id[]): Promise<Connection[]> {
  const { graph, fetcher, onUse } = internalsOf(client)
  await orLocal((await fetcher()).fetchConnections(ids))
  const found = ids.flatMap((id) => graph.connection(id) ?? [])
  onUse?.(
    [],
    found.map((c) => c.id),
  )
  return found
}

/**
 * Returns the types with these names and fetches those that are not loaded. Names are used as written. All names of one task are
 * fetched in one request.
 */
export async function getTypes(client: Client, names: readonly string[]): Promise<Concept[]> {
  const internals = internalsOf(client)
  const missing = names.filter((name) => internals.graph.type(name) === undefined)
  if (missing.length > 0) await orLocal(requestNames(internals, missing))
  return names.flatMap((name) => internals.graph.concept(internals.graph.type(name) ?? 0) ?? [])
}

/** Returns the type with this name. Undefined if it does not exist. */
export const getType = async (client: Client, name: string): Promise<Concept | undefined> =>
  (await getTypes(client, [name]))[0]

const pendingNames = new WeakMap<Internals, { names: Set<string>; done: Promise<void> }>()

/** Fetches the types of all names requested in this task. */
function requestNames(internals: Internals, names: readonly string[]): Promise<void> {
  let pending = pendingNames.get(internals)
  if (!pending) {
    const all = new Set<string>()
    pending = { names: all, done: Promise.resolve().then(() => fetchNames(internals, all)) }
    pendingNames.set(internals, pending)
  }
  for (const name of names) pending.names.add(name)
  return pending.done
}

async function fetchNames(internals: Internals, names: ReadonlySet<string>): Promise<void> {
  pendingNames.delete(internals)
  const ids = await requestAsUser(internals, '/api/get_type_concept_by_character_bulk', [...names])
  await (await internals.fetcher()).fetchConcepts(expectList(ids) as Id[])
}

/**
 * Finds a value by its type and text, in the local graph or on the server. The type gets the prefix `the_`. Undefined
 * if the value does not exist.
 */
export async function findConcept(
  client: Client,
  typeName: string,
  value: string,
): Promise<Concept | undefined> {
  const internals = internalsOf(client)
  const { graph } = internals
  const name = withPrefix(typeName)
  const local = graph.find(name, value)
  if (local || !isShared(value)) return local
  const type_id = graph.real((await getType(client, name))?.id ?? 0)
  if (!isReal(type_id)) return undefined
  const path = '/api/get_concept_by_character_and_type'
  await orLocal(fetchOne(internals, path, { character_value: value, type_id }))
  return graph.find(name, value)
}

/**
 * Finds a concept by its text on the server: first among bare words, then among types, then among values. Undefined if
 * there is none or the server is unavailable.
 */
export async function findConceptByText(
  client: Client,
  value: string,
): Promise<Concept | undefined> {
  const internals = internalsOf(client)
  const path = '/api/get_concept_by_character_value'
  const id = await orLocal(fetchOne(internals, path, { character_value: value }))
  return id ? internals.graph.concept(id) : undefined
}

/** Fetches one concept into the graph and returns its id, 0 if there is none. */
async function fetchOne(internals: Internals, path: string, body: object): Promise<Id> {
  const record = expectRecord(await requestAsUser(internals, path, body))
  addReceived(internals, { concepts: decodeConcepts([record]), connections: [] })
  return record.id
}

/** Resolves a local id of an earlier visit, asking the server if needed. Undefined if the id is unknown. */
export async function resolveLocalId(client: Client, id: Id): Promise<Concept | undefined> {
  const internals = internalsOf(client)
  const { graph } = internals
  if (isLocal(graph.real(id)) && !graph.concept(id)) {
    const real = await orLocal(fetchOne(internals, '/api/v1/local-concepts-translate', { id }))
    const nothing = { concepts: [], connections: [], connectionIds: [] }
    if (real) graph.adoptRealIds({ ...nothing, conceptIds: [[id, real]] })
  }
  return graph.concept(id)
}

export interface PreloadOptions {
  /** Does nothing if an earlier call with this option has succeeded in this browser, for this application. */
  readonly once?: boolean
}

/**
 * The setting in the browser's database that records that the concepts were preloaded. The wire contract prescribes its
 * name.
 */
const preloadedSetting = 'isOnlineSync'

/** Fetches the concepts that the server recommends to preload. */
export async function preloadConcepts(
  client: Client,
  { once = false }: PreloadOptions = {},
): Promise<void> {
  const internals = internalsOf(client)
  const setting = once ? await openPreloadedSetting(internals, client.ready) : undefined
  if (await setting?.read()) return
  for await (const page of fetchPages(internals, '/api/get-preloaded-concepts', {}))
    addReceived(internals, { concepts: decodeConcepts(page), connections: [] })
  await setting?.write()
}

/** Returns the setting that says that concepts were preloaded; undefined if nothing can be saved. */
async function openPreloadedSetting({ name, storage }: Internals, ready: Promise<void>) {
  await ready
  if (!storage()) return undefined
  const { readSetting, writeSetting } = await import('../store/settings.ts')
  return {
    read: () => readSetting(name, preloadedSetting).catch(ignoreError),
    write: () => writeSetting(name, preloadedSetting, true).catch(ignoreError),
  }
}

/** Number of connections in one response to `prefetchConnections`. */
const prefetchPageSize = 500

/** Fetches all connections of a user, by default the current one, with their ends. */
export async function prefetchConnections(client: Client, user = client.user): Promise<void> {
  const internals = internalsOf(client)
  const fields = { user_id: user ?? anonymous, inpage: prefetchPageSize }
  for await (const page of fetchPages(
    internals,
    '/api/get_all_connections_of_user',
    fields,
    'POST',
  )) {
    const found = decodeConnections(page)
    addReceived(internals, { concepts: [], connections: found })
    await (await internals.fetcher()).fetchConnections(found.map((c) => c.id))
  }
}

/** Time limit of `waitUntilReady`, in milliseconds. */
const readyTimeout = 25_000

/**
 * Resolves once the records of an earlier visit are loaded. After a timeout, rejects with the message `not`, which the
 * wire contract prescribes.
 */
export function waitUntilReady(
  { ready }: Pick<Client, 'ready'>,
  timeout = readyTimeout,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new WeftError('unavailable', 'not')), timeout)
    ready.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
