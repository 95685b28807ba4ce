import type { Client, ClientOptions, Write } from './api.ts'
import { build, type Drafts } from './composition/build.ts'
import { patch } from './composition/patch.ts'
import type { Fields, FieldsInput } from './composition/value.ts'
import type { Concept } from './graph/concept.ts'
import { WeftError } from './graph/error.ts'
import type { Id } from './graph/id.ts'
import type { Mutation } from './graph/mutation.ts'
import { type Change, Feed } from './live/feed.ts'
import { Fetcher } from './live/fetcher.ts'
import { Queries } from './live/queries.ts'
import { Graph } from './local/graph.ts'
import { Records } from './local/records.ts'
import { localIds } from './store/local-ids.ts'
import { randomNumber, type Saved, Storage } from './store/storage.ts'
import { drafting } from './sync/drafting.ts'
import { Outbox } from './sync/outbox.ts'
import { Http, ignore } from './wire/http.ts'

/** Opens the graph of an application. One client per page is enough. */
export function createClient(options: ClientOptions): Client {
  const graph = new Graph()
  const records = new Records(graph)
  const ids = localIds(options.storage === 'memory')
  const recordsOf = drafting(ids, (id) => graph.real(id))
  const http = new Http(options.url, options.token)
  let storage: Storage | undefined
  const fetcher = new Fetcher(http, graph, () => storage)
  const watched = new Set<{ readonly id: Id }>()
  const feed = new Feed(http, changed, lost)
  const outbox = new Outbox(graph, http)
  const queries = new Queries(
    {
      graph,
      http,
      fetcher,
      pending: () => outbox.pending.mutations(),
      calm: () => outbox.calm(),
      answers: new Map(),
      remembered: (query, answer) => storage?.remember(query, answer),
    },
    () => feed.listen(),
  )
  http.changed = () => {
    outbox.networkChanged()
    queries.networkChanged()
  }
  http.met = (store) => {
    if (store && store !== graph.store) move(store)
    outbox.send(true)
  }
  const name = `weft ${http.url} ${options.application ?? ''}`
  const page = randomNumber().toString(36)
  let writes = 0
  let closed = false

  const ready = open()

  async function open(): Promise<void> {
    const opened = options.storage === 'memory' ? undefined : new Storage(name)
    if (opened) outbox.join(name)
    // Where the database does not work, as in some private windows, everything else does.
    const saved = await opened?.load().catch(ignore)
    if (closed) return opened?.close()
    http.randomizer = saved?.randomizer ?? randomNumber()
    if (opened && saved) recall(opened, saved)
    const heard = graph.store
    graph.store = saved?.store
    outbox.open(storage, saved?.mutations ?? [])
    queries.open(saved?.answers ?? new Map())
    http.met(heard)
  }

  function recall(opened: Storage, { above, seen }: Saved): void {
    ids.open(above)
    graph.join(seen)
    graph.add(seen)
    storage = opened
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
    look(() => true)
  }

  /** Asks again for concepts, and records, that somebody watches. */
  function look(at: (id: Id) => boolean): void {
    const ids = [...watched].map(({ id }) => id).filter(at)
    void fetcher.again([...new Set(ids)]).catch(ignore)
  }

  /** The mutation is one literal, because spreading into it would cost half of what a write may. */
  function write(
    kind: Mutation['kind'],
    id: Id,
    drafts: Drafts,
    removeConcepts: readonly Id[] = [],
    removeConnections: readonly Id[] = [],
    type?: string,
  ): Write {
    const at = stamp()
    const key = `${page}-${++writes}`
    const { store } = graph
    const { concepts, connections } = recordsOf(drafts, at)
    return outbox.add({
      key,
      kind,
      id,
      type,
      at,
      store,
      concepts,
      connections,
      removeConcepts,
      removeConnections,
    })
  }

  function create(type: string, fields: FieldsInput): Write {
    if (!/^[^\s\p{Cc}]+$/u.test(type)) {
      const seen = JSON.stringify(type)
      throw new WeftError('invalid', `a type has a name without spaces, not ${seen}`)
    }
    const drafts = nothing()
    const id = build(drafts, type, fields, ids)
    return write('create', id, drafts, [], [], type)
  }

  function update(id: Id, fields: FieldsInput): Write {
    const main = graph.name(id)
    const drafts = patch(graph, main, fields, ids)
    const { connections, removeConnections } = drafts
    if (connections.length + removeConnections.length === 0) return unwritten(main)
    return write('update', main, drafts, [], removeConnections)
  }

  /** For a write that changes nothing. */
  function unwritten(id: Id, done: Promise<void> = Promise.resolve()): Write {
    const synced = done.then(() => graph.real(id))
    synced.catch(ignore)
    return { id, key: '', saved: done, synced }
  }

  /** A record takes the records inside it along. One the server refused is as if it had never been made. */
  function remove(id: Id): Write {
    const main = graph.name(id)
    const creation = outbox.pending.mutations().find((m) => m.kind === 'create' && m.id === main)
    if (creation?.failed) return unwritten(main, outbox.discard(creation.key))
    const inside = graph.links(main).map((c) => c.to)
    const heads = new Set(inside.filter((to) => graph.concept(to)?.composition))
    const removeConcepts = [...heads.add(main)].map((id) => graph.real(id))
    return write('remove', main, nothing(), removeConcepts)
  }

  async function get(id: Id): Promise<Concept | undefined> {
    if (!graph.concept(id)) await fetcher.concepts([id])
    return graph.concept(id)
  }

  async function load(id: Id): Promise<Fields | undefined> {
    const here = records.get(id)
    const empty = !here || Object.keys(here).length === 0
    if (empty || records.missing(id).length > 0) await fetcher.again([id])
    return records.get(id)
  }

  function watch(id: Id, changed: () => void): () => void {
    const unwatch = graph.watch(id, changed)
    const leave = feed.listen()
    const watcher = { id }
    watched.add(watcher)
    return () => {
      if (!watched.delete(watcher)) return
      unwatch()
      leave()
    }
  }

  function setToken(token: string | undefined): void {
    http.token = token
    feed.reopen()
    outbox.signedIn()
    queries.changed()
  }

  function close(): void {
    closed = true
    feed.close()
    outbox.close()
    storage?.close()
    http.close()
  }

  return {
    concept: (id) => graph.concept(id),
    find: (type, value) => graph.find(type, value),
    get,
    watch,
    record: (id) => records.get(id),
    load,
    query: (query, { format = 'DATAID' } = {}) => queries.query(query, format),
    create,
    update,
    remove,
    pending: (id) => outbox.pending.state(id),
    sync: outbox,
    ready,
    setToken,
    close,
  }
}

const nothing = (): Drafts => ({ concepts: [], connections: [] })

let [second, text] = [0, '']

/** The time as ISO 8601. Writing it out takes longer than a write may, so it is done once a millisecond. */
function stamp(): string {
  const now = Date.now()
  if (now !== second) [second, text] = [now, new Date(now).toISOString()]
  return text
}
