import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { idsOf, type Mutation, type Receipt } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import type { Storage } from '../store/storage.ts'
import { type Http, ignore, jitter, later, lazy, longestWait } from '../wire/http.ts'
import { type Entry, type Mark, Pending, stateOf } from './pending.ts'
import type { PendingWrite, SyncStatus } from './status.ts'
import { type News, Tabs } from './tabs.ts'

/**
 * Brings the pending writes to the server. Each is on disk before it is sent, is sent by one tab at a time,
 * in order, and leaves only when the server has taken it or the user discards it. What it takes to send them is
 * loaded once the page has started.
 */
export class Outbox {
  readonly pending: Pending
  /** Undefined until the disk is read, and where there is none. */
  storage: Storage | undefined
  readonly #graph: Graph
  readonly #http: Http
  readonly #opened: Promise<void>
  #open!: () => void
  #tabs: Tabs<News> | undefined
  #durable = true
  #leading = false
  #closed = false
  #flight: Promise<void> | undefined
  /** Says whether there was reason to send while a request was on its way. */
  #again = false
  /** Writes of this task that are saved, of which the other tabs are to hear. */
  #saved: Mutation[] = []
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
    this.storage = storage
    this.#durable = storage !== undefined
    this.pending.precede(left)
    this.#open()
    this.#changed()
    this.#sender().catch(ignore)
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
    entry.saving = saved
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
    const asked = key === undefined ? undefined : this.pending.together(key)
    const failed = this.pending.mutations().filter((m) => m.failed && m.id)
    const keys = failed.map((m) => m.key).filter((key) => !asked || asked.includes(key))
    if (keys.length > 0) void this.mark(keys, { failed: undefined })
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
    await this.forget(this.pending.dependents(this.pending.together(key)))
  }

  /** Forgets writes here, on disk and in the other tabs. */
  async forget(keys: readonly string[]): Promise<void> {
    await this.storage?.settle(keys)
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
      await this.storage?.append(entry.m)
    } catch (e) {
      this.#durable = false
      this.#changed()
      throw new WeftError('unavailable', 'this browser did not save it', e)
    } finally {
      entry.saved = true
      if (this.#saved.push(entry.m) === 1) queueMicrotask(() => this.#announce())
    }
  }

  #announce(): void {
    this.tell({ kind: 'added', mutations: this.#saved })
    this.#saved = []
    this.#tabs?.expect()
    this.send(true)
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
    const saved = await this.storage?.load(user).catch(ignore)
    if (!saved) return
    const left = new Map(saved.mutations.map((m) => [m.key, m]))
    const gone: string[] = []
    for (const [{ m }, was] of before) {
      const there = left.get(was.key)
      if (!there && this.#durable) gone.push(m.key)
      // What happened to it while the disk was read is younger than that.
      if (there && m === was && markOf(m) !== markOf(there)) this.pending.mark([m.key], there)
    }
    if (gone.length > 0) this.#settle(gone, saved.seen, user)
    for (const m of saved.mutations) this.pending.add({ m, saved: true })
  }

  /** Sends what can be sent, one request after the other: whoever writes may be welcome by now. */
  send(anyway = false): void {
    if (!this.#leading || this.#closed) return
    if ((this.#needsToken && !anyway) || !this.#http.online) return
    this.#again = true
    this.#flight ??= this.#sendAll().finally(() => {
      this.#flight = undefined
      if (this.#again) this.send()
    })
  }

  async #sendAll(): Promise<void> {
    while (this.#again) {
      this.#again = false
      const waiting = this.pending.waiting()
      if (waiting.length === 0) return
      const send = await this.#sender().catch(ignore)
      if (!send) return void later(() => this.send())
      const verdict = await send(waiting)
      if (verdict === 'sent') this.send()
      if (verdict === 'token') this.#waitForToken()
    }
  }

  readonly #sender = lazy(async () => {
    const { dropExpired, sending } = await import('./sender.ts')
    void this.#opened.then(() => dropExpired(this))
    return sending({
      http: this.#http,
      names: this.#graph,
      user: () => this.#graph.user,
      settled: (keys, receipt, user) => this.#taken(keys, receipt, user),
      refused: (keys, { kind, message }) => this.mark(keys, { failed: { kind, message } }),
      adopted: (keys, user) => this.mark(keys, { user }),
    })
  })

  async #taken(keys: readonly string[], receipt: Receipt, user: string | undefined): Promise<void> {
    this.#needsToken = false
    this.#settle(keys, receipt, user)
    // Should this fail, the next visit sends the writes again and the server answers the same.
    await this.storage?.settle(keys, receipt, user).catch(ignore)
    this.tell({ kind: 'settled', keys, receipt, user })
  }

  #waitForToken(): void {
    this.#needsToken = true
    this.#changed()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.send(true), jitter(longestWait))
  }

  /** Writes down, for every tab and the next visit, that something about writes is another now. */
  async mark(keys: readonly string[], mark: Mark): Promise<void> {
    const marked = this.pending.mark(keys, mark)
    this.tell({ kind: 'marked', keys, mark })
    // Should this fail, the next visit finds them as they were, and sends them again.
    await this.storage?.replace(...marked).catch(ignore)
  }

  /** Of writes that are over, with what the server said of them to a user. */
  #settle(keys: readonly string[], receipt: Receipt, user: string | undefined): void {
    const mine = user === this.#graph.user
    for (const { m, end } of this.pending.settle(keys, mine ? receipt : idsOf(receipt)))
      end?.(this.#graph.real(m.id))
  }

  #hear(news: News): void {
    if (news.kind === 'added') for (const m of news.mutations) this.pending.add({ m, saved: true })
    else if (news.kind === 'settled') this.#settle(news.keys, news.receipt, news.user)
    else if (news.kind === 'store') this.#http.met(news.store)
    else if (news.kind === 'discarded') this.pending.drop(news.keys)
    else this.pending.mark(news.keys, news.mark)
    this.send()
  }

  #statusNow(): SyncStatus {
    const writes = this.writes()
    const failed = writes.filter((w) => w.state === 'failed')
    const held = writes.filter((w) => w.held).length
    const pending = writes.length - failed.length - held
    const { online } = this.#http
    const state = !online
      ? 'offline'
      : failed.length > 0
        ? 'error'
        : pending > 0
          ? 'syncing'
          : 'idle'
    return {
      online,
      pending,
      held,
      failed,
      state,
      durable: this.#durable,
      needsToken: this.#needsToken,
    }
  }

  #changed(): void {
    this.#status = undefined
    this.#graph.watchers.touch(everything)
  }
}

/** What those watch who care for every write. No type can have this name. */
const everything = '\0'

/** What may become another about a write, as text. */
const markOf = ({ failed, held, batch, user }: Mutation): string =>
  JSON.stringify([failed, held, batch, user])

const shown = (m: Mutation): PendingWrite => ({
  key: m.key,
  id: m.id,
  kind: m.kind,
  state: stateOf(m),
  at: m.at,
  held: m.held,
  ...(m.failed ? { error: new WeftError(m.failed.kind, m.failed.message) } : {}),
})
