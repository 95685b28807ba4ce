import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import type { Storage } from '../store/storage.ts'
import type { Http } from '../wire/http.ts'
import { ignore, later, lazy } from '../wire/wait.ts'
import type { Courier, Reads } from './courier.ts'
import { type Entry, Pending, stateOf, syncedOf } from './pending.ts'
import type { PendingWrite, SyncStatus } from './status.ts'
import type { News } from './tabs.ts'

/**
 * Brings the pending writes to the server. Each is on disk before it is sent, is sent by one tab at a time,
 * in order, and leaves only when the server has taken it or the user discards it. What it takes to send them is
 * loaded once the page has started.
 */
export class Outbox {
  readonly pending: Pending
  /** Undefined until the disk is read, and where nothing is kept. */
  storage: Storage | undefined
  needsToken = false
  /** While a request is on its way. */
  flight: Promise<void> | undefined
  readonly opened: Promise<void>
  /** Names the database, and what tabs share beside it. */
  readonly name: string
  readonly untold: News[] = []
  readonly graph: Graph
  readonly #http: Http
  readonly #courier: () => Promise<Courier>
  #open!: () => void
  #durable = true
  /** Writes that are to be saved together. */
  #coming: Entry[] = []
  /** When these are saved, or those before. */
  #saved: Promise<void>
  #status: SyncStatus | undefined

  constructor(graph: Graph, http: Http, name: string, reads: Reads) {
    this.name = name
    this.pending = new Pending(graph, () => this.changed())
    this.graph = graph
    this.#http = http
    this.#courier = lazy(async () => {
      const { Courier } = await import('./courier.ts')
      return new Courier(this, graph, http, reads)
    })
    this.opened = new Promise((opened) => {
      this.#open = opened
    })
    this.#saved = this.opened
  }

  /** Takes over what an earlier visit left, and starts sending. */
  open(storage: Storage | undefined, left: readonly Mutation[]): void {
    this.storage = storage
    this.pending.precede(left)
    this.#open()
    const look = () => {
      this.#durable = storage?.durable ?? false
      this.changed()
      this.#later((courier) => courier.join())
    }
    if (storage) {
      storage.changed = look
      storage.pending = () => this.pending.saved()
    }
    look()
  }

  /** Shows the write at once; it is saved and sent from here on. */
  add(m: Mutation): Written {
    const entry: Entry = { m, saved: false }
    this.pending.add(entry)
    if (this.#coming.push(entry) === 1) {
      this.#saved = this.#save(this.#saved)
      this.#saved.catch(ignore)
    }
    entry.saving = this.#saved
    return { id: m.id, key: m.key, saved: this.#saved, synced: syncedOf(entry) }
  }

  readonly writes = (): PendingWrite[] => this.pending.mutations().map(shown)

  readonly get = (): SyncStatus => {
    this.#status ??= this.#statusNow()
    return this.#status
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    const { watchers } = this.graph
    const listener = () => changed()
    watchers.add(everything, listener)
    return () => watchers.delete(everything, listener)
  }

  readonly retry = (key?: string): void => {
    this.#later((courier) => courier.retry(key))
  }

  readonly discard = async (key: string): Promise<void> => (await this.#courier()).discard(key)

  /** Who is writing changed: what waited for that is sent. */
  signedIn(): void {
    this.needsToken = false
    this.networkChanged()
  }

  networkChanged(): void {
    this.changed()
    this.send()
  }

  /** Tells the other tabs, once there is a courier to do so. */
  tell = (news: News): void => void this.untold.push(news)

  /** Saves what has come by the time that those before are saved, together. */
  async #save(before: Promise<void>): Promise<void> {
    await before.catch(ignore)
    const entries = this.#coming
    this.#coming = []
    try {
      await this.storage?.append(entries.map((entry) => entry.m))
    } catch (e) {
      throw new WeftError('unavailable', 'this browser did not save it', e)
    } finally {
      for (const entry of entries) entry.saved = true
      void this.#announce(entries)
    }
  }

  /** Telling takes as long as saving: those who wait for a write are served first. */
  async #announce(entries: readonly Entry[]): Promise<void> {
    for (let turns = 3; turns > 0; turns--) await undefined
    const mutations = entries.map((e) => e.m).filter((m) => !this.pending.isOver(m))
    if (mutations.length > 0) this.tell({ kind: 'added', mutations })
    this.send(true)
  }

  send(anyway = false): void {
    this.#later((courier) => courier.send(anyway))
  }

  /** Where the code does not load it is tried again. */
  #later(work: (courier: Courier) => unknown): void {
    if (!this.#http.closed.aborted) this.#courier().then(work, () => later(() => this.#later(work)))
  }

  #statusNow(): SyncStatus {
    const writes = this.writes()
    const failed = writes.filter((w) => w.state === 'failed')
    const held = writes.filter((w) => w.held && w.state === 'pending').length
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
      needsToken: this.needsToken,
    }
  }

  changed(): void {
    this.#status = undefined
    this.graph.watchers.touch(everything)
  }
}

/** A write for whoever made it: on this disk, and there. */
export interface Written {
  readonly id: Id
  readonly key: string
  readonly saved: Promise<void>
  readonly synced: Promise<Id>
}

/** What those watch who care for every write. No type can have this name. */
const everything = '\0'

const shown = (m: Mutation): PendingWrite => ({
  key: m.key,
  id: m.id,
  kind: m.kind,
  state: stateOf(m),
  at: m.at,
  held: m.held,
  ...(m.failed ? { error: new WeftError(m.failed.kind, m.failed.message) } : {}),
})
