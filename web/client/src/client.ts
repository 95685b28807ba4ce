import type { Client, ClientExtension, ClientOptions } from './api.ts'
import { type Internals, internalsKey, type WithInternals } from './internals.ts'
import { Queries } from './live/queries.ts'
import { Graph } from './local/graph.ts'
import { RecordCache } from './local/record-cache.ts'
import { type Id, isReal } from './model/id.ts'
import { withPrefix } from './model/type.ts'
import { RemoteChanges } from './remote-changes.ts'
import { Session } from './session.ts'
import { createLocalIds } from './store/local-ids.ts'
import { Storage } from './store/storage.ts'
import { Outbox } from './sync/outbox.ts'
import { createRecordBuilder } from './sync/record-builder.ts'
import { defaultWarning, Warnings } from './warnings.ts'
import { Http } from './wire/http.ts'
import { lazyLoad } from './wire/lazy.ts'
import { userFromToken } from './wire/token.ts'
import { createWriter, WriteRecorder } from './writer.ts'

/*
 * The browser core. `createClient` creates the parts and connects them; each part has one responsibility:
 *
 * | part | responsibility | calls |
 * |---|---|---|
 * | `local/` Graph, RecordCache | records of this page, with pending writes applied; notifies watchers | nothing |
 * | `live/` Queries | live queries: server answers, updated with local and remote changes | Graph, Http, Fetcher |
 * | `live/` Fetcher | requests for single records, coalesced; loaded on demand | Graph, Http, Storage |
 * | `writer.ts` | create, update, remove → records → mutations | Graph, Outbox |
 * | `remote-changes.ts` | subscriptions to the change stream → refetches and callbacks | Queries, Fetcher |
 * | `warnings.ts` | problems that are not errors, in development | nothing |
 * | `session.ts` | opening, signing in and out, another store, closing | all of these |
 * | `sync/` Outbox | pending writes: saves, sends, settles them | Graph, Storage, Http |
 * | `store/` Storage | IndexedDB | nothing |
 *
 * Reads are synchronous Map look-ups. The cost of a write depends on its own records only. A write is applied to the
 * graph immediately, notifies watchers in a microtask, and is then saved and sent.
 */

/** Opens the graph of an application. One client per page is enough. With a `schema` the client is typed. */
export function createClient<C>(options: ClientOptions & { readonly schema: ClientExtension<C> }): C
export function createClient(options: ClientOptions): Client
export function createClient(
  given: ClientOptions & { readonly schema?: ClientExtension<unknown> },
): unknown {
  const options = { ...given, onWarning: given.onWarning ?? defaultWarning() }
  const client = createRawClient(options)
  return options.schema ? options.schema.extend(client, options) : client
}

function createRawClient(options: ClientOptions): Client {
  const { internals, records, remoteChanges, session, warnings } = connectParts(options)
  const { graph, http, fetcher, outbox, queries } = internals
  const client: Client & WithInternals = {
    url: http.url,
    concept: (id) => graph.concept(id),
    realId(id) {
      const real = graph.real(id)
      return isReal(real) ? real : undefined
    },
    find: (type, value) => graph.find(withPrefix(type), value),
    async get(id) {
      if (!graph.concept(id)) await (await fetcher()).fetchConcepts([id])
      return graph.concept(id)
    },
    watch(id, changed) {
      const unsubscribe = remoteChanges.subscribe(id)
      const unwatch = graph.watch(id, changed)
      return () => {
        unsubscribe()
        unwatch()
      }
    },
    onRemoteChange: (id, changed) => remoteChanges.subscribe(id, changed),
    record: (id) => records.get(id),
    async load(id) {
      const fields = records.get(id) ?? {}
      const isEmpty = Object.keys(fields).length === 0
      if (isEmpty || records.missing(id).length > 0) await (await fetcher()).refetch([id])
      return records.get(id)
    },
    query(query, { format = 'DATAID' } = {}) {
      warnings.onQuery(query)
      return queries.query(query, format)
    },
    ...internals.createWriter(internals.write),
    pending: (id) => outbox.pending.state(id),
    sync: outbox,
    ready: session.ready,
    get user() {
      return graph.user
    },
    // A path without a slash would name another host.
    fetch: (path) => http.fetchWithToken(`/${path.replace(/^\//, '')}`),
    setToken: (token) => session.setToken(token),
    close: () => session.close(),
    [internalsKey]: internals,
  }
  return client
}

/** Creates the parts of a client and connects them. */
function connectParts(options: ClientOptions) {
  const inMemory = options.storage === 'memory'
  const graph = new Graph()
  graph.user = userFromToken(options.token)
  const ids = createLocalIds(inMemory)
  const builder = createRecordBuilder(ids, graph)
  const http = new Http(options.url, options.token)
  const name = `weft ${http.url} ${options.application ?? ''}`
  const disk = inMemory ? undefined : new Storage(name)
  const storage = (): Storage | undefined => session.storage
  const outbox = new Outbox({
    graph,
    http,
    name,
    loadEngine: async (outbox) => {
      const { SyncEngine } = await import('./sync/sync-engine.ts')
      return new SyncEngine(outbox, http, options)
    },
  })
  const recorder = new WriteRecorder(graph, http, outbox)
  const hasPendingWrites = (id: Id): boolean => outbox.pending.state(id) !== undefined
  const pending = () => outbox.pending.mutations()
  const fetcher = lazyLoad(async () => {
    const { Fetcher } = await import('./live/remote/index.ts')
    return new Fetcher({ http, graph, storage, hasPendingWrites, pending })
  })
  const remoteChanges = new RemoteChanges({
    graph,
    http,
    fetcher,
    streamName: disk && name,
    refetchQueries: (changed) => queries.refetchAffected(changed),
  })
  const queries = new Queries({
    graph,
    http,
    fetcher,
    keepFeedOpen: () => remoteChanges.keepFeedOpen(),
    pending,
    sendingEnds: async () => outbox.sending,
    onAnswer(query, answer) {
      storage()?.cacheAnswer(query, answer)
      internals.onUse?.(answer.roots, answer.links)
      warnings.onAnswer(internals, query, answer)
    },
  })
  const warnings = new Warnings(options.onWarning)
  const parts = { graph, http, ids, outbox, queries, remoteChanges, fetcher, disk }
  const session = new Session(parts, options.refresh)
  const internals: Internals = {
    name,
    graph,
    http,
    ids,
    outbox,
    queries,
    fetcher,
    storage,
    ...builder,
    write: (...args) => recorder.write(...args),
    createWriter: (write) =>
      createWriter({ graph, outbox, ...builder, record: internals.write, http, fetcher }, write),
  }
  return { internals, records: new RecordCache(graph), remoteChanges, session, warnings }
}
