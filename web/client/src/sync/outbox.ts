import type { Graph } from '../local/graph.ts'
import type { Mutation } from '../model/mutation.ts'
import type { Storage } from '../store/storage.ts'
import type { Http } from '../wire/http.ts'
import { lazyLoad } from '../wire/lazy.ts'
import { ignoreError, retryLater } from '../wire/retry.ts'
import {
  type OutboxWrite,
  PendingWrites,
  publicState,
  settledOf,
  syncedOf,
  toError,
} from './pending-writes.ts'
import type { PendingWrite, SyncStatus, Write } from './status.ts'
import type { SyncEvent } from './sync-event.ts'

/*
 * sync/: sends every write to the server once and in order, even if tabs close, crash or lose the network.
 *
 *   client.create(…) ─▶ Outbox.add ─▶ PendingWrites (memory, graph) ─▶ Storage (disk) ─▶ SyncEngine ─▶ Sender ─▶ server
 *                                              ▲                                            │
 *                                              └────────── SyncEvent, over TabLeader ◀──────┘ other tabs
 *
 * Each page has one Outbox, which exists from the start, and one SyncEngine, which is loaded afterwards. Of all tabs
 * with the same database only the leader's engine sends. Without any tab the service worker runs Sender on the disk.
 *
 * files                loaded        responsibility
 * outbox.ts            with the page accepts and saves writes; status for the application
 * pending-writes.ts    with the page the life cycle of a write: statuses, transitions, projection into the graph
 * dependencies.ts      with the page which ids a write refers to
 * record-builder.ts    with the page builds the records of a write, with local ids
 * status.ts, sync-event.ts           types: public status; events between tabs
 * open-transaction.ts  transaction   commits and discards the writes of a transaction
 * abandoned.ts         afterwards    discards transactions that expired or whose page is closed
 * change-writes.ts     afterwards    changes and discards writes here, on disk and in the other tabs
 * sync-engine.ts       afterwards    decides when to send; publishes and handles events
 * dependents.ts        afterwards    which writes depend on which, and share a transaction
 * discard-requests.ts  afterwards    discards a write through the leader
 * reconcile.ts         afterwards    compares the memory with the disk; marks orphans
 * sender.ts            afterwards    one request: sign in, send, classify the error
 * request-groups.ts    afterwards    chooses the writes of a request
 * tab-leader.ts        afterwards    leader election and the channel
 *
 * The shapes of a write:
 *
 * Mutation      the record of a write on disk, on the channel and for the wire; made by the client, read by all
 * OutboxWrite   a mutation with its status in this tab; made by PendingWrites, read in sync/
 * Write         the promises of a new write; made by Outbox, read by the application
 * PendingWrite  a pending or failed write in a list; made by Outbox, read by the application
 * Receipt       the server's result of a mutation; made by wire/, read by PendingWrites and Storage
 *
 * Costs: adding a write takes one push and one projection. Writes added while a disk transaction runs share the next
 * one. Without a disk it is queued immediately. Sending takes one request for up to 2,000 records, and one disk
 * transaction more.
 *
 * Reasons for the design: docs/decisions/0019.
 */

/** The sync engine, as the outbox uses it. It is loaded after the page has started. */
export interface Engine {
  /** Connects to the tabs that share the storage. Called when the storage opens, and when it changes. */
  join(): void
  /** Sends the writes that can be sent. With `force`, tries even if the server required another token. */
  send(force?: boolean): void
  retry(key?: string): void
  discard(key: string): Promise<void>
}

interface OutboxOptions {
  readonly graph: Graph
  readonly http: Http
  /** Names the database, and the lock and channel of its tabs. */
  readonly name: string
  loadEngine(outbox: Outbox): Promise<Engine>
}

/**
 * The writes of this page until the server has accepted them. A write is on disk before it is sent, and stays until it
 * is settled or discarded.
 */
export class Outbox {
  readonly name: string
  readonly graph: Graph
  readonly pending: PendingWrites
  /** Undefined until the disk is read, and without a disk. */
  storage: Storage | undefined
  /** Resolves when the disk is read. */
  readonly opened: Promise<void>
  /** Whether the server refused the writes until another token is set. */
  needsToken = false
  /** Settles when the requests under way have ended. */
  sending: Promise<void> | undefined
  readonly #http: Http
  readonly #engine: () => Promise<Engine>
  #markOpened!: () => void
  #durable = true
  /** Whether the page has no disk: new writes are queued immediately. False until the client is open. */
  #isInMemory = false
  /** Drafts that share the next disk transaction. */
  #drafts: OutboxWrite[] = []
  /** Settles with the last disk transaction. */
  #saved: Promise<void>
  /** The argument of the queued call of `Engine.send`; undefined if no call is queued. */
  #queuedSend: boolean | undefined
  #status: SyncStatus | undefined
  /** Events that were published before the engine was loaded. */
  readonly #unpublished: SyncEvent[] = []
  #publisher: ((event: SyncEvent) => void) | undefined

  constructor({ graph, http, name, loadEngine }: OutboxOptions) {
    this.name = name
    this.graph = graph
    this.#http = http
    this.pending = new PendingWrites(graph, () => this.notify())
    this.#engine = lazyLoad(() => loadEngine(this))
    this.opened = new Promise((resolve) => {
      this.#markOpened = resolve
    })
    this.#saved = this.opened
  }

  /** Adds the writes that earlier visits left on disk, and starts sending. */
  open(storage: Storage | undefined, mutations: readonly Mutation[]): void {
    this.storage = storage
    this.#isInMemory = !storage
    this.pending.addOlder(mutations)
    if (!storage) for (const write of this.#drafts.splice(0)) this.pending.markSaved(write)
    this.#markOpened()
    const onStorageChange = () => {
      this.#durable = storage?.durable ?? false
      this.notify()
      this.#withEngine((engine) => engine.join())
    }
    if (storage) {
      storage.onStatusChange = onStorageChange
      storage.unsentWrites = () => this.pending.saved()
    }
    onStorageChange()
  }

  /** Shows a write immediately, then saves and sends it. */
  add(mutation: Mutation): Write {
    const write: OutboxWrite = { mutation, status: 'draft' }
    this.pending.add(write)
    if (this.#isInMemory) {
      this.pending.markSaved(write)
      // Offline, `networkChanged` sends it later.
      if (this.#http.online) this.send(true)
    } else if (this.#drafts.push(write) === 1) {
      this.#saved = this.#save(this.#saved)
      this.#saved.catch(ignoreError)
    }
    write.saved = this.#saved
    return followWrite(write, this.#saved)
  }

  readonly writes = (): PendingWrite[] => this.pending.mutations().map(publicWrite)

  readonly get = (): SyncStatus => {
    this.#status ??= this.#computeStatus()
    return this.#status
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    const { watchers } = this.graph
    const listener = () => changed()
    watchers.add(anyWrite, listener)
    return () => watchers.delete(anyWrite, listener)
  }

  readonly retry = (key?: string): void => {
    this.pending.expectRetry(key)
    this.#withEngine((engine) => engine.retry(key))
  }

  readonly discard = async (key: string): Promise<void> => (await this.#engine()).discard(key)

  /** Calls `send` of the engine once for all calls in a task, or until the engine is loaded. */
  send(force = false): void {
    const isQueued = this.#queuedSend !== undefined
    this.#queuedSend ||= force
    if (isQueued) return
    this.#withEngine((engine) => {
      const queued = this.#queuedSend
      this.#queuedSend = undefined
      engine.send(queued)
    })
  }

  /** Called when the token has changed: sends the writes that waited for a new token. */
  userChanged(): void {
    this.needsToken = false
    this.networkChanged()
  }

  networkChanged(): void {
    this.notify()
    this.send()
  }

  /** Sends an event to the other tabs. Until the engine is loaded, queues it. */
  publish(event: SyncEvent): void {
    if (this.#publisher) this.#publisher(event)
    else this.#unpublished.push(event)
  }

  /** Directs all queued and later events to `publisher`. */
  setPublisher(publisher: (event: SyncEvent) => void): void {
    this.#publisher = publisher
    for (const event of this.#unpublished.splice(0)) publisher(event)
  }

  /** Notifies the subscribers of the outbox. */
  notify(): void {
    this.#status = undefined
    this.graph.watchers.notify(anyWrite)
  }

  /** When `before`, the previous disk transaction, has ended, saves all drafts in one transaction. */
  async #save(before: Promise<void>): Promise<void> {
    await before.catch(ignoreError)
    const drafts = this.#drafts
    this.#drafts = []
    try {
      await this.storage?.append(drafts.map((write) => write.mutation))
    } finally {
      for (const write of drafts) this.pending.markSaved(write)
      void this.#announce(drafts)
    }
  }

  /** Publishes new writes. Posting takes as long as saving, so callers that wait for `saved` continue first. */
  async #announce(writes: readonly OutboxWrite[]): Promise<void> {
    for (let turns = 3; turns > 0; turns--) await undefined
    const mutations = writes.map((w) => w.mutation).filter((m) => !this.pending.hasEnded(m))
    if (mutations.length > 0) this.publish({ kind: 'added', mutations })
    this.send(true)
  }

  /** Loads the engine if necessary, and calls it. If the engine does not load, tries again later. */
  #withEngine(work: (engine: Engine) => unknown): void {
    if (this.#http.closeSignal.aborted) return
    this.#engine().then(work, () => retryLater(() => this.#withEngine(work)))
  }

  #computeStatus(): SyncStatus {
    const writes = this.writes()
    const failed = writes.filter((w) => w.state === 'failed')
    const held = writes.filter((w) => w.held && w.state === 'pending').length
    const pending = writes.length - failed.length - held
    const { online } = this.#http
    const busy = pending > 0 ? 'syncing' : 'idle'
    const state = !online ? 'offline' : failed.length > 0 ? 'error' : busy
    const durable = this.#durable
    return { online, pending, held, failed, state, durable, needsToken: this.needsToken }
  }
}

/** Returns the caller's view of a write. Its promises are created when they are first read. */
const followWrite = (write: OutboxWrite, saved: Promise<void>): Write => ({
  id: write.mutation.id,
  key: write.mutation.key,
  saved,
  get synced() {
    return syncedOf(write)
  },
  get settled() {
    return settledOf(write)
  },
})

/** The watcher key of the whole outbox. No type can have this name. */
const anyWrite = '\0'

const publicWrite = (m: Mutation): PendingWrite => ({
  key: m.key,
  id: m.id,
  kind: m.kind,
  state: publicState(m),
  at: m.at,
  held: m.held,
  ...(m.failed ? { error: toError(m.failed) } : {}),
})
