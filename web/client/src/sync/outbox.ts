import { asWeftError, WeftError } from '../graph/error.ts'
import { type Id, isLocal } from '../graph/id.ts'
import type { Mutation, Receipt } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import type { Storage } from '../store/storage.ts'
import { type Http, ignore } from '../wire/http.ts'
import { receiptOf, syncOf } from '../wire/sync.ts'
import type { PendingWrite, SyncStatus } from './status.ts'
import { type News, Tabs, type Taken } from './tabs.ts'

interface Entry {
  m: Mutation
  /** On disk, or as near to it as this browser gets. */
  saved: boolean
  /** Whoever made the write here and waits for the server. */
  readonly synced?: Deferred<Id>
}

/**
 * The writes the server has not taken yet, in order. Each is on disk before it is sent, is sent by one tab
 * at a time, one after the other, and leaves only when the server has taken it or the user discards it.
 */
export class Outbox {
  readonly #graph: Graph
  readonly #http: Http
  readonly #settled: (m: Mutation) => void
  readonly #entries = new Map<string, Entry>()
  /** Keys of writes that are over, should somebody still speak of them. */
  readonly #over = new Set<string>()
  readonly #opened = withResolvers<void>()
  #storage: Storage | undefined
  #tabs: Tabs | undefined
  #durable = true
  #leading = false
  #closed = false
  #sending = false
  #again = false
  #flight: Promise<void> | undefined
  #needsToken = false
  #status: SyncStatus | undefined
  #states: Map<Id, 'pending' | 'failed'> | undefined

  /** Tells settled of every write, of any tab, that the server took. */
  constructor(graph: Graph, http: Http, settled: (m: Mutation) => void) {
    this.#graph = graph
    this.#http = http
    this.#settled = settled
  }

  networkChanged(): void {
    this.#changed()
    if (this.#http.online) this.kick()
  }

  /** Listens to the other tabs: from before the disk is read, so that nothing falls between the two. */
  join(name: string): void {
    const lead = () => void this.#opened.promise.then(() => this.#lead())
    this.#tabs = new Tabs(name, (news) => this.#hear(news), lead)
  }

  /** Takes over what an earlier visit left, and starts sending. */
  open(storage: Storage | undefined, left: readonly Mutation[]): void {
    this.#storage = storage
    this.#durable = storage !== undefined
    const made = [...this.#entries.values()]
    this.#entries.clear()
    for (const m of left) this.#adopt(m)
    for (const entry of made) this.#entries.set(entry.m.key, entry)
    this.#opened.resolve()
    this.#changed()
    if (storage) return
    // Without a shared disk every tab stands for itself.
    this.#tabs?.close()
    this.#tabs = undefined
    void this.#lead()
  }

  /** Shows the write at once; it is saved and sent from here on. */
  add(m: Mutation): { saved: Promise<void>; synced: Promise<Id> } {
    const entry: Entry = { m, saved: false, synced: withResolvers<Id>() }
    this.#entries.set(m.key, entry)
    this.#graph.apply(m)
    this.#changed(m)
    const saved = this.#save(entry)
    saved.catch(ignore)
    return { saved, synced: (entry.synced as Deferred<Id>).promise }
  }

  /** The state of the last write to a record that is not settled; one that failed counts most. */
  pending(id: Id): 'pending' | 'failed' | undefined {
    this.#states ??= this.#statesOf()
    return this.#states.get(this.#graph.name(id))
  }

  /** The unsettled creation of a record. */
  creation(id: Id): Mutation | undefined {
    const name = this.#graph.name(id)
    return this.mutations().find((m) => m.kind === 'create' && m.id === name)
  }

  mutations(): Mutation[] {
    return [...this.#entries.values()].map((e) => e.m)
  }

  writes(): PendingWrite[] {
    return this.mutations().map(shown)
  }

  status(): SyncStatus {
    this.#status ??= this.#statusNow()
    return this.#status
  }

  subscribe(changed: () => void): () => void {
    const { watchers } = this.#graph
    const listener = () => changed()
    watchers.add(everything, listener)
    return () => watchers.delete(everything, listener)
  }

  /** Resolves when no request of this tab is on its way. */
  async calm(): Promise<void> {
    await this.#flight
  }

  /** Tries again now: what was refused, all or one, and whatever waits. */
  retry(key?: string): void {
    this.#tabs?.tell({ kind: 'retry', key })
    this.#unmark(key)
    this.signedIn()
  }

  /** Who is writing changed: what waited for that is sent. */
  signedIn(): void {
    this.#needsToken = false
    this.#changed()
    this.kick()
  }

  /** Forgets a write and everything that refers to what it would have made. */
  async discard(key: string): Promise<void> {
    await this.calm()
    const keys = this.#dependents(key)
    await this.#storage?.discard(keys)
    this.#tabs?.tell({ kind: 'discarded', keys })
    this.#drop(keys)
  }

  /** Starts sending unless it is under way. */
  kick(): void {
    this.#again = true
    if (this.#sending || !this.#ready()) return
    this.#sending = true
    void this.#send().finally(() => {
      this.#sending = false
      if (this.#again) this.kick()
    })
  }

  close(): void {
    this.#closed = true
    this.#tabs?.close()
  }

  async #save(entry: Entry): Promise<void> {
    await this.#opened.promise
    try {
      await this.#storage?.append(entry.m)
    } catch (e) {
      this.#durable = false
      throw new WeftError('unavailable', 'this browser could not save the write', e)
    } finally {
      entry.saved = true
      this.#tabs?.tell({ kind: 'added', mutation: entry.m })
      this.#changed()
      this.kick()
    }
  }

  /** Shows a write that this tab did not make. */
  #adopt(m: Mutation): void {
    if (this.#entries.has(m.key) || this.#over.has(m.key)) return
    this.#entries.set(m.key, { m, saved: true })
    this.#graph.apply(m)
    this.#changed(m)
  }

  /** From now on this tab sends. Another may have finished writes, or made some, unheard. */
  async #lead(): Promise<void> {
    const known = [...this.#entries.values()].filter((e) => e.saved)
    const saved = await this.#storage?.load().catch(ignore)
    if (saved) {
      const keys = new Set(saved.mutations.map((m) => m.key))
      const done = known.filter((e) => !keys.has(e.m.key))
      for (const { m } of this.#durable ? done : []) this.#settle(m.key, saved.seen)
      for (const m of saved.mutations) this.#adopt(m)
    }
    this.#leading = true
    this.kick()
  }

  async #send(): Promise<void> {
    this.#again = false
    while (this.#ready()) {
      const entry = this.#next()
      if (!entry) return
      const flight = this.#sendOne(entry)
      this.#flight = flight.then(ignore)
      const goOn = await flight
      this.#flight = undefined
      if (!goOn) return
    }
  }

  #ready(): boolean {
    return this.#leading && !this.#closed && !this.#needsToken && this.#http.online
  }

  /** The oldest write that can go. One that builds on a refused one waits for that. */
  #next(): Entry | undefined {
    for (const entry of this.#entries.values()) {
      if (entry.saved && !entry.m.failed && this.#needs(entry.m).length === 0) return entry
    }
    return undefined
  }

  /** Sends a write; false when sending has to pause. */
  async #sendOne({ m }: Entry): Promise<boolean> {
    const path = this.#http.token ? '/api/v1/local-concepts' : '/api/v1/local-concepts-without-auth'
    let receipt: Receipt
    try {
      receipt = receiptOf(await this.#http.post(path, syncOf(m, this.#graph)), m)
    } catch (e) {
      return this.#refused(m, asWeftError(e))
    }
    const row: Taken = {
      ...receipt,
      goneConcepts: m.removeConcepts.map((id) => this.#graph.real(id)),
      goneConnections: m.removeConnections.map((id) => this.#graph.realConnection(id)),
    }
    this.#settle(m.key, receipt)
    // Should this fail, the next visit sends the write again and the server answers the same.
    await this.#storage?.settle(m.key, row).catch(ignore)
    this.#tabs?.tell({ kind: 'settled', key: m.key, row })
    return true
  }

  #refused(m: Mutation, error: WeftError): boolean {
    if (this.#closed) return false
    if (error.kind === 'unauthorized') {
      this.#needsToken = true
      this.#changed()
      return false
    }
    if (error.kind === 'unavailable' || error.kind === 'internal') {
      this.#http.doubt()
      return false
    }
    const failed = { kind: error.kind, message: error.message }
    this.#mark(m.key, failed)
    this.#tabs?.tell({ kind: 'marked', key: m.key, failed })
    return true
  }

  #settle(key: string, row: Taken): void {
    const entry = this.#entries.get(key)
    this.#over.add(key)
    if (!entry) {
      this.#graph.confirmations++
      this.#graph.join(row.conceptIds, row.connectionIds)
      this.#graph.add(row)
      this.#graph.drop(row.goneConcepts ?? [], row.goneConnections ?? [])
      return
    }
    this.#entries.delete(key)
    this.#graph.settle(entry.m, row)
    this.#changed(entry.m)
    this.#settled(entry.m)
    entry.synced?.resolve(this.#graph.real(entry.m.id))
  }

  /** Writes down that the server refused a write, or that it is to be tried again. */
  #mark(key: string, failed: Mutation['failed']): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    const { failed: _, ...m } = entry.m
    entry.m = failed ? { ...m, failed } : m
    this.#changed(m)
  }

  #unmark(key: string | undefined): void {
    for (const m of this.mutations()) {
      if (m.failed && (key === undefined || key === m.key)) this.#mark(m.key, undefined)
    }
  }

  #drop(keys: readonly string[]): void {
    for (const key of keys.toReversed()) {
      const entry = this.#entries.get(key)
      this.#over.add(key)
      if (!entry) continue
      this.#entries.delete(key)
      this.#graph.undo(entry.m)
      this.#changed(entry.m)
      entry.synced?.promise.catch(ignore)
      entry.synced?.reject(new WeftError('conflict', 'the write was discarded'))
    }
  }

  #hear(news: News): void {
    if (news.kind === 'added') this.#adopt(news.mutation)
    else if (news.kind === 'settled') this.#settle(news.key, news.row)
    else if (news.kind === 'discarded') this.#drop(news.keys)
    else if (news.kind === 'retry') this.#unmark(news.key)
    else this.#mark(news.key, news.failed)
    this.kick()
  }

  /** Keys of a write and of those after it that refer to what only it makes. */
  #dependents(key: string): string[] {
    const keys: string[] = []
    const lost = new Set<Id>()
    for (const { m } of this.#entries.values()) {
      if (m.key !== key && !this.#needs(m).some((id) => lost.has(id))) continue
      keys.push(m.key)
      for (const c of [...m.concepts, ...m.connections]) lost.add(c.id)
    }
    return keys
  }

  /** The local ids a mutation refers to, does not bring along, and the server does not know yet. */
  #needs(m: Mutation): Id[] {
    const own = new Set(m.concepts.map((c) => c.id))
    const ends = m.connections.flatMap((c) => [c.from, c.to, c.type]).concat(m.removeConcepts)
    const concepts = ends.filter((id) => isLocal(this.#graph.real(id)) && !own.has(id))
    const links = m.removeConnections.filter((id) => isLocal(this.#graph.realConnection(id)))
    return [...concepts, ...links]
  }

  #statesOf(): Map<Id, 'pending' | 'failed'> {
    const states = new Map<Id, 'pending' | 'failed'>()
    for (const { m } of this.#entries.values()) {
      const id = this.#graph.name(m.id)
      if (m.failed || !states.has(id)) states.set(id, m.failed ? 'failed' : 'pending')
    }
    return states
  }

  #statusNow(): SyncStatus {
    const failed = this.writes().filter((w) => w.state === 'failed')
    const pending = this.#entries.size - failed.length
    const { online } = this.#http
    const state = !online
      ? 'offline'
      : failed.length > 0
        ? 'error'
        : pending > 0
          ? 'syncing'
          : 'idle'
    return { online, pending, failed, state, durable: this.#durable, needsToken: this.#needsToken }
  }

  #changed(m?: Mutation): void {
    this.#status = undefined
    this.#states = undefined
    if (m) this.#graph.watchers.touch(this.#graph.name(m.id))
    if (m?.type) this.#graph.watchers.touch(m.type)
    this.#graph.watchers.touch(everything)
  }
}

/** What those watch who care for every write. No type can have this name. */
const everything = '\0'

const shown = (m: Mutation): PendingWrite => ({
  key: m.key,
  id: m.id,
  kind: m.kind,
  state: m.failed ? 'failed' : 'pending',
  at: m.at,
  ...(m.failed ? { error: new WeftError(m.failed.kind, m.failed.message) } : {}),
})

interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
}

/** Promise.withResolvers, which not every browser in use has. */
function withResolvers<T>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
