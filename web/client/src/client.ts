import type { Client, ClientOptions, Write } from './api.ts'
import { build } from './composition/build.ts'
import { patch } from './composition/patch.ts'
import type { Fields, FieldsInput } from './composition/value.ts'
import type { Concept } from './graph/concept.ts'
import { orderPatch } from './graph/connection.ts'
import { WeftError } from './graph/error.ts'
import type { Id } from './graph/id.ts'
import type { Records as Batch, Mutation } from './graph/mutation.ts'
import { withPrefix } from './graph/type.ts'
import { type Hidden, type WriteRecords, within } from './inside.ts'
import { Feed } from './live/feed.ts'
import { Queries } from './live/queries.ts'
import type { Change } from './live/stream.ts'
import { Graph } from './local/graph.ts'
import { Records } from './local/records.ts'
import { localIds, randomNumber } from './store/local-ids.ts'
import { type Saved, Storage } from './store/storage.ts'
import { drafting } from './sync/drafting.ts'
import { Outbox } from './sync/outbox.ts'
import { Http } from './wire/http.ts'
import { userOf } from './wire/token.ts'
import { ignore, later, lazy } from './wire/wait.ts'

/** Opens the graph of an application. One client per page is enough. */
export function createClient(options: ClientOptions): Client {
  const graph = new Graph()
  graph.user = userOf(options.token)
  const records = new Records(graph)
  const ids = localIds(options.storage === 'memory')
  const { typeOf, begin, recordsOf } = drafting(ids, (id) => graph.real(id))
  const http = new Http(options.url, options.token)
  const name = `weft ${http.url} ${options.application ?? ''}`
  const disk = options.storage === 'memory' ? undefined : new Storage(name)
  /** The disk, once it is read. */
  let storage: Storage | undefined
  const fetcher = lazy(
    async () =>
      new (await import('./live/fetcher.ts')).Fetcher(
        http,
        graph,
        () => storage,
        (id) => outbox.pending.state(id),
      ),
  )
  const ears = new Set<Ear>()
  const feed = new Feed(http, changed, lost, disk && name)
  const outbox = new Outbox(graph, http, name, options)
  const queries = new Queries(
    {
      graph,
      http,
      fetcher,
      pending: () => outbox.pending.mutations(),
      calm: async () => outbox.flight,
      answers: new Map(),
      remembered(query, answer) {
        storage?.remember(query, answer)
        inside.used?.(answer.roots, answer.links)
      },
    },
    () => feed.listen(),
  )
  const { refresh } = options
  http.renew =
    refresh &&
    (async () => {
      const token = await refresh()
      if (token && token !== http.token) setToken(token)
    })
  http.changed = () => {
    outbox.networkChanged()
    queries.networkChanged()
    feed.retry()
    pay()
  }
  http.met = (store) => {
    if (store && store !== graph.store) move(store)
    outbox.send(true)
  }
  const page = randomNumber().toString(36)
  let writes = 0
  let closed = false
  /** Says whether somebody watches what could not be asked for again. */
  let owing = false

  const ready = open()

  async function open(): Promise<void> {
    fetcher().catch(ignore)
    // Where the database does not work, as in some private windows, everything else does.
    let saved: Saved | undefined
    let user: string | undefined
    do {
      // A token may be given right after.
      await undefined
      user = graph.user
      saved = await disk?.load(user).catch(() => undefined)
    } while (user !== graph.user)
    if (closed) return disk?.close()
    http.randomizer = saved?.randomizer ?? randomNumber()
    if (saved) recall(saved)
    const met = graph.store
    graph.store = saved?.store
    outbox.open(disk, saved?.mutations ?? [])
    queries.open(saved?.answers ?? new Map())
    http.met(met)
  }

  function recall({ above, seen, store }: Saved): void {
    ids.open(above)
    graph.join(seen)
    graph.add(seen)
    storage = disk
    // Only now: a token may have come while the disk was read.
    disk?.claim({ store, user: graph.user })
  }

  /** The server has that store. The ids of another mean nothing, or something else, in this one. */
  function move(store: string): void {
    const known = graph.store
    graph.store = store
    const gone = known ? outbox.pending.move() : []
    void storage?.move(store, gone).catch(ignore)
    outbox.tell({ kind: 'store', store })
    if (!known) return
    queries.forget()
    lost()
  }

  function changed(change: Change): void {
    const names = new Set(change.map((id) => graph.name(id)))
    queries.changed(names)
    look((id) => names.has(graph.name(id)))
  }

  function lost(): void {
    queries.changed()
    look()
  }

  /** Asks again for concepts, and records, that somebody watches, and tells who wants to hear of others. */
  function look(at: (id: Id) => boolean = () => true): void {
    const all = [...ears].filter(({ id }) => at(id))
    const ids = all.flatMap(({ id, changed }) => (changed ? [] : id))
    if (ids.length > 0)
      fetcher()
        .then((f) => f.again(ids))
        .catch(owe)
    for (const { changed } of all) changed?.()
  }

  /** What is told is told once: what could not be asked for then is asked for when the server answers again. */
  function owe(e: WeftError): void {
    if (e.kind !== 'unavailable') return
    owing = true
    later(pay)
  }

  function pay(): void {
    if (!owing || closed || !http.online) return
    owing = false
    look()
  }

  /** The mutation is one literal, because spreading into it would cost half of what a write may. */
  function put(
    { concepts, connections }: Batch,
    kind: Mutation['kind'],
    id: Id,
    removeConcepts: readonly Id[] = [],
    removeConnections: readonly Id[] = [],
    type?: string,
    held?: string,
  ): Write {
    const at = stamp()
    const key = `${page}-${++writes}`
    const { store, user } = graph
    return outbox.add({
      key,
      kind,
      id,
      type,
      at,
      store,
      user,
      session: user === undefined ? http.session : undefined,
      held,
      concepts,
      connections,
      removeConcepts,
      removeConnections,
    })
  }

  /** What an application writes with: put takes in what becomes of it. */
  function writing(put: WriteRecords): Pick<Client, 'create' | 'update' | 'remove'> {
    function create(type: string, fields: FieldsInput): Write {
      if (!/^[^\s\p{Cc}]+$/u.test(type)) refuse('a type has a name without spaces', type)
      const draft = begin(stamp())
      const id = build(draft, type, fields)
      return put(recordsOf(draft), 'create', id, [], [], type)
    }

    function update(id: Id, fields: FieldsInput): Write {
      const main = graph.name(id)
      const draft = begin(stamp(), orderPatch)
      const gone = patch(graph, main, fields, draft)
      if (draft.connections.length + gone.length === 0) return unwritten(main)
      return put(recordsOf(draft), 'update', main, [], gone)
    }

    /** For a write that changes nothing. */
    function unwritten(id: Id, done: Promise<void> = Promise.resolve()): Write {
      const synced = done.then(() => graph.real(id))
      synced.catch(ignore)
      return { id, key: '', saved: done, synced }
    }

    /** A record takes the records inside it along. One the server refused is as if it had never been made. */
    function remove(id: Id): Write {
      if (!id || !Number.isInteger(id)) refuse('an id is a number', id)
      const main = graph.name(id)
      const creation = outbox.pending.mutations().find((m) => m.kind === 'create' && m.id === main)
      if (creation?.failed) return unwritten(main, outbox.discard(creation.key))
      const inside = graph.links(main).map((c) => c.to)
      const heads = new Set(inside.filter((to) => graph.concept(to)?.composition))
      const removeConcepts = [...heads.add(main)].map((id) => graph.real(id))
      return put({ concepts: [], connections: [] }, 'remove', main, removeConcepts)
    }

    return { create, update, remove }
  }

  async function get(id: Id): Promise<Concept | undefined> {
    if (!graph.concept(id)) await (await fetcher()).concepts([id])
    return graph.concept(id)
  }

  async function load(id: Id): Promise<Fields | undefined> {
    const here = records.get(id)
    const empty = !here || Object.keys(here).length === 0
    if (empty || records.missing(id).length > 0) await (await fetcher()).again([id])
    return records.get(id)
  }

  function watch(id: Id, changed: () => void): () => void {
    const unhear = hear(id)
    const unwatch = graph.watch(id, changed)
    return () => {
      unhear()
      unwatch()
    }
  }

  function hear(id: Id, changed?: () => void): () => void {
    const leave = feed.listen()
    const ear = { id, changed }
    ears.add(ear)
    return () => {
      leave()
      ears.delete(ear)
    }
  }

  function setToken(token: string | undefined): void {
    http.token = token
    const user = userOf(token)
    if (user !== graph.user) {
      graph.user = user
      outbox.pending.signedIn()
      queries.forget()
      storage?.claim({ user })
    }
    feed.reopen()
    outbox.signedIn()
    lost()
  }

  function close(): void {
    closed = true
    feed.close()
    disk?.close()
    http.close()
  }

  const inside: Hidden[typeof within] = {
    name,
    graph,
    http,
    ids,
    outbox,
    queries,
    fetcher,
    storage: () => storage,
    typeOf,
    write: put,
    writing,
  }
  const client: Client & Hidden = {
    url: http.url,
    concept: (id) => graph.concept(id),
    find: (type, value) => graph.find(withPrefix(type), value),
    get,
    watch,
    hear,
    record: (id) => records.get(id),
    load,
    query: (query, { format = 'DATAID' } = {}) => queries.query(query, format),
    ...writing(put),
    pending: (id) => outbox.pending.state(id),
    sync: outbox,
    ready,
    get user() {
      return graph.user
    },
    // A path without a slash would name another host.
    fetch: (path) => http.get(`/${path.replace(/^\//, '')}`),
    setToken,
    close,
    [within]: inside,
  }
  return client
}

/** Whoever listens to the feed for one concept; without changed, to have it here as it is there. */
interface Ear {
  readonly id: Id
  readonly changed: (() => void) | undefined
}

function refuse(rule: string, seen: unknown): never {
  throw new WeftError('invalid', `${rule}, not ${JSON.stringify(seen)}`)
}

let [second, text] = [0, '']

/** The time as ISO 8601. Writing it out takes longer than a write may, so it is done once a millisecond. */
function stamp(): string {
  const now = Date.now()
  if (now !== second) [second, text] = [now, new Date(now).toISOString()]
  return text
}
