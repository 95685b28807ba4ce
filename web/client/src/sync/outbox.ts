import { asWeftError, WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { idsOf, type Mutation, type Receipt } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import type { Storage } from '../store/storage.ts'
import { type Http, ignore, jitter, longestWait } from '../wire/http.ts'
import { receiptOf, syncOf } from '../wire/sync.ts'
import { type Entry, Pending, stateOf } from './pending.ts'
import type { PendingWrite, SyncStatus } from './status.ts'
import { type News, Tabs } from './tabs.ts'

/**
 * Brings the pending writes to the server. Each is on disk before it is sent, is sent by one tab at a time,
 * one after the other, and leaves only when the server has taken it or the user discards it.
 */
export class Outbox {
  readonly pending: Pending
  readonly #graph: Graph
  readonly #http: Http
  readonly #opened: Promise<void>
  #open!: () => void
  #storage: Storage | undefined
  #tabs: Tabs<News> | undefined
  #durable = true
  #leading = false
  #closed = false
  #flight: Promise<void> | undefined
  #needsToken = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #status: SyncStatus | undefined

  constructor(graph: Graph, http: Http) {
    this.pending = new Pending(graph, () => this.#changed())
    this.#graph = graph
    this.#http = http
    this.#opened = new Promise((opened) => {
      this.#open = opened
    })
  }

  /** Listens to the other tabs: from before the disk is read, so that nothing falls between the two. */
  join(name: string): void {
    this.#tabs = new Tabs(name, {
      hear: (news) => this.#hear(news),
      missed: () => void this.#catchUp(),
      lead: (leading) => void this.#lead(leading),
    })
  }

  /** Takes over what an earlier visit left, and starts sending. */
  open(storage: Storage | undefined, left: readonly Mutation[]): void {
    this.#storage = storage
    this.#durable = storage !== undefined
    this.pending.precede(left)
    this.#open()
    this.#changed()
    if (storage) return
    // Without a shared disk every tab stands for itself.
    this.#leave()
    void this.#lead(true)
  }

  /** Shows the write at once; it is saved and sent from here on. */
  add(m: Mutation) {
    const entry: Entry = { m, saved: false }
    const synced = new Promise<Id>((end) => {
      entry.end = end
    })
    entry.synced = synced
    this.pending.add(entry)
    const saved = this.#save(entry)
    saved.catch(ignore)
    return { id: m.id, key: m.key, saved, synced }
  }

  readonly writes = (): PendingWrite[] => this.pending.mutations().map(shown)

  readonly get = (): SyncStatus => {
    this.#status ??= this.#statusNow()
    return this.#status
  }

  readonly subscribe = (changed: () => void): (() => void) => {
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
  readonly retry = (key?: string): void => {
    for (const m of this.pending.mutations()) {
      if (m.failed && m.id && (key === undefined || key === m.key))
        void this.#mark(m.key, undefined)
    }
    this.#tabs?.expect()
    this.signedIn()
  }

  /** Who is writing changed: what waited for that is sent. */
  signedIn(): void {
    this.#needsToken = false
    this.networkChanged()
  }

  networkChanged(): void {
    this.#changed()
    this.send()
  }

  readonly tell = (news: News): void => this.#tabs?.tell(news)

  /** Forgets a write and everything that refers to what it would have made. */
  readonly discard = async (key: string): Promise<void> => {
    await this.calm()
    const keys = this.pending.dependents(key)
    await this.#storage?.settle(keys)
    this.tell({ kind: 'discarded', keys })
    this.pending.drop(keys)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#leave()
  }

  #leave(): void {
    this.#tabs?.close()
    this.#tabs = undefined
  }

  async #save(entry: Entry): Promise<void> {
    await this.#opened
    try {
      await this.#storage?.append(entry.m)
    } catch (e) {
      this.#durable = false
      this.#changed()
      throw new WeftError('unavailable', 'this browser did not save it', e)
    } finally {
      entry.saved = true
      this.tell({ kind: 'added', mutation: entry.m })
      this.#tabs?.expect()
      this.send(true)
    }
  }

  /** From now on this tab sends, or does no more. */
  async #lead(leading: boolean): Promise<void> {
    this.#leading = false
    if (leading) await this.#catchUp()
    this.#leading = this.#tabs ? this.#tabs.leading : leading
    this.send()
  }

  /** Another tab may have finished writes, or made some, unheard. */
  async #catchUp(): Promise<void> {
    await this.#opened
    const known = this.pending.entries().filter((e) => e.saved)
    const before = new Map(known.map((e) => [e, e.m]))
    const { user } = this.#graph
    const saved = await this.#storage?.load(user).catch(ignore)
    if (!saved) return
    const left = new Map(saved.mutations.map((m) => [m.key, m]))
    for (const [{ m }, was] of before) {
      const there = left.get(was.key)
      if (!there && this.#durable) this.#settle(m.key, saved.seen, user)
      // What happened to it while the disk was read is younger than that.
      if (there && m === was && m.failed?.message !== there.failed?.message)
        this.pending.mark(m.key, there.failed)
    }
    for (const m of saved.mutations) this.pending.add({ m, saved: true })
  }

  /** Sends what can be sent, one after the other: whoever writes may be welcome by now. */
  send(anyway = false): void {
    if (!this.#leading || this.#flight || this.#closed) return
    if ((this.#needsToken && !anyway) || !this.#http.online) return
    const entry = this.pending.next()
    if (!entry) return
    this.#flight = this.#sendOne(entry).finally(() => {
      this.#flight = undefined
      this.send()
    })
  }

  async #sendOne({ m }: Entry): Promise<void> {
    const request = syncOf(m, this.#graph)
    const { user } = this.#graph
    let receipt: Receipt
    try {
      receipt = receiptOf(await this.#http.post('/api/v1/local-concepts', request), request, m)
    } catch (e) {
      // What was refused to somebody who has gone is asked again when they are back.
      if (user === this.#graph.user) await this.#refused(m, asWeftError(e), request.store)
      return
    }
    this.#needsToken = false
    this.#settle(m.key, receipt, user)
    // Should this fail, the next visit sends the write again and the server answers the same.
    await this.#storage?.settle([m.key], receipt, user).catch(ignore)
    this.tell({ kind: 'settled', key: m.key, receipt, user })
  }

  /** What the server did not look at waits until it will. */
  async #refused(m: Mutation, { kind, message }: WeftError, store?: string): Promise<void> {
    // Other data than the request was for, or nobody to say: either way it is sent again.
    if (kind === 'conflict' && (await this.#http.ask().catch(ignore)) !== store) return
    if (kind === 'unauthorized') {
      this.#needsToken = true
      this.#changed()
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.send(true), jitter(longestWait))
    } else if (kind === 'unavailable' || kind === 'internal') this.#http.doubt()
    else await this.#mark(m.key, { kind, message })
  }

  /** Writes down, for every tab and the next visit, that a write was refused or is to be tried again. */
  async #mark(key: string, failed: Mutation['failed']): Promise<void> {
    const m = this.pending.mark(key, failed)
    this.tell({ kind: 'marked', key, failed })
    // Should this fail, the next visit sends the write again and is refused again.
    if (m) await this.#storage?.replace(m).catch(ignore)
  }

  /** Of a write that is over, with what the server said of it to a user. */
  #settle(key: string, receipt: Receipt, user: string | undefined): void {
    const mine = user === this.#graph.user
    const entry = this.pending.settle(key, mine ? receipt : idsOf(receipt))
    if (!entry) return
    entry.end?.(this.#graph.real(entry.m.id))
  }

  #hear(news: News): void {
    if (news.kind === 'added') this.pending.add({ m: news.mutation, saved: true })
    else if (news.kind === 'settled') this.#settle(news.key, news.receipt, news.user)
    else if (news.kind === 'store') this.#http.met(news.store)
    else if (news.kind === 'discarded') this.pending.drop(news.keys)
    else this.pending.mark(news.key, news.failed)
    this.send()
  }

  #statusNow(): SyncStatus {
    const writes = this.writes()
    const failed = writes.filter((w) => w.state === 'failed')
    const pending = writes.length - failed.length
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

  #changed(): void {
    this.#status = undefined
    this.#graph.watchers.touch(everything)
  }
}

/** What those watch who care for every write. No type can have this name. */
const everything = '\0'

const shown = (m: Mutation): PendingWrite => ({
  key: m.key,
  id: m.id,
  kind: m.kind,
  state: stateOf(m),
  at: m.at,
  ...(m.failed ? { error: new WeftError(m.failed.kind, m.failed.message) } : {}),
})
