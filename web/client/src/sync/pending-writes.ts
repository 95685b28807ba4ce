import type { Graph } from '../local/graph.ts'
import { placeOf, WeftError } from '../model/error.ts'
import { type Id, isReal } from '../model/id.ts'
import { type Failure, type Mutation, type Receipt, withoutRecords } from '../model/mutation.ts'
import { ignoreError } from '../wire/retry.ts'
import { referencesOf } from './dependencies.ts'
import type { PendingWrite } from './status.ts'
import type { WriteChange } from './sync-event.ts'

/**
 * The life cycle of a write. This file is the only one that assigns a status.
 *
 *              saved             startSending            settle
 *   draft ────────────▶ queued ◀──────────────▶ sending ──────────▶ settled
 *     │                  ▲  ▲     stopSending      │
 *     │ saved     commit │  └────── retry ──────┐  │ refuse
 *     ▼                  │                      │  ▼
 *   held ────────────────┘                     failed
 *
 *   draft, held, queued, failed ─────── discard ───────▶ discarded
 *
 * status     meaning                                         durable as              changed by
 * draft      shown, not on disk yet                          nothing                 the tab that made the write
 * held       part of an open transaction                     outbox row with `held`  the tab that uses the transaction
 * queued     on disk, or the browser cannot save it          outbox row              every tab
 * sending    in the request under way                        outbox row              the leader, in its memory only
 * failed     refused; waits for the user                     outbox row, `failed`    the leader or the service worker
 * settled    accepted by the server                          row removed, ids logged the leader or the service worker
 * discarded  discarded by the user                           row removed             the leader
 *
 * - While a write is `sending`, a discard waits for the response: the server may accept the write.
 * - A write that refers to a discarded one is `failed` in memory only (an orphan, see `reconcile.ts`).
 * - A draft whose mutation already has `failed` or `held` gets that status once it is on disk.
 * - Other tabs are notified by a `SyncEvent`, and read the disk if they missed an event.
 */
type WriteStatus = 'draft' | 'held' | 'queued' | 'sending' | 'failed' | 'settled' | 'discarded'

/** A write in the memory of this tab. */
export interface OutboxWrite {
  /** The write as it is saved and sent. Replaced as a whole when a field changes. */
  mutation: Mutation
  status: WriteStatus
  /** Settles when the disk has the write, or could not save it. Missing for writes of other tabs and earlier visits. */
  saved?: Promise<void>
  /** For a settled or discarded write: resolves with the real id, or rejects. */
  outcome?: Promise<Id>
  /** Created by `syncedOf`. Replaced when a failed write is retried. */
  synced?: Deferred
  /** Whether a retry was requested, so that `synced` is already the promise of that retry. */
  isRetried?: boolean
  /** Created by `settledOf`. */
  settled?: Deferred
}

/** A promise that a caller may be waiting for. */
interface Deferred {
  readonly promise: Promise<Id>
  resolve(outcome: Promise<Id>): void
  reject(error: WeftError): void
}

/**
 * Returns the promise that resolves when the server accepts the write, and rejects when the write fails or is
 * discarded. After a failed write is retried, returns a new promise.
 */
export function syncedOf(write: OutboxWrite): Promise<Id> {
  if (write.outcome) return write.outcome
  write.synced ??= createDeferred()
  if (!write.isRetried) rejectFailed(write)
  return write.synced.promise
}

/** Returns the promise that resolves when the server accepts the write, and rejects when the write is discarded. */
export function settledOf(write: OutboxWrite): Promise<Id> {
  if (write.outcome) return write.outcome
  write.settled ??= createDeferred()
  return write.settled.promise
}

/** Creates a promise whose rejection is handled, because callers may ignore it. */
function createDeferred(): Deferred {
  let resolve!: Deferred['resolve']
  let reject!: Deferred['reject']
  const promise = new Promise<Id>((...functions) => {
    ;[resolve, reject] = functions
  })
  promise.catch(ignoreError)
  return { promise, resolve, reject }
}

/** Rejects `synced` of a write that failed. Drops the rejected promise of a write that is retried. */
function rejectFailed(write: OutboxWrite, before?: Mutation['failed']): void {
  const { failed } = write.mutation
  if (failed) write.synced?.reject(toError(failed))
  else if (before && !write.isRetried) delete write.synced
  write.isRetried = false
}

/** Returns the error of a failed write. */
export const toError = (failure: Failure): WeftError =>
  Object.assign(new WeftError(failure.kind, failure.message), placeOf(failure))

/**
 * The keys of this number of settled writes are kept, which take about 0.7 MB. If a later event names an older settled
 * write, it is treated as pending and sent again, which has no effect. A discarded write must never be sent, so the
 * keys of all discarded writes are kept.
 */
const maxSettledKeys = 10_000

/**
 * The writes that the server has not accepted yet, oldest first, and their projection into the graph. Writes of users
 * who are not signed in are kept apart and not projected. Everything here is in memory; `Outbox` saves and publishes
 * it.
 */
export class PendingWrites {
  readonly #graph: Graph
  readonly #onChange: () => void
  /** The visible writes, by key. */
  readonly #visible = new Map<string, OutboxWrite>()
  /** The writes of other users. */
  #hidden: OutboxWrite[] = []
  /**
   * Keys of the newest settled writes, oldest first, and below of all discarded writes. Events of other tabs may still
   * name them.
   */
  readonly #settled = new Set<string>()
  readonly #discarded = new Set<string>()
  #states: Map<Id, PendingWrite['state']> | undefined

  /** `onChange` is called after every change. */
  constructor(graph: Graph, onChange: () => void) {
    this.#graph = graph
    this.#onChange = onChange
  }

  /** Adds a write with its current status. A known write is ignored. */
  add(write: OutboxWrite): void {
    const { mutation } = write
    if (this.knows(mutation.key)) return
    if (!this.isVisible(mutation)) {
      this.#hidden.push(write)
      return
    }
    this.#visible.set(mutation.key, write)
    if (mutation.store && this.#isOfOtherStore(mutation)) revise(write, withoutData(mutation))
    this.#graph.apply(write.mutation)
    this.notify(mutation)
  }

  /** Adds writes that another tab or an earlier visit saved. Known writes are ignored. */
  addSaved(mutations: readonly Mutation[]): void {
    for (const mutation of mutations) this.add({ mutation, status: savedStatus(mutation) })
  }

  /** Adds saved writes in front of all others. */
  addOlder(mutations: readonly Mutation[]): void {
    const younger = this.all()
    this.#visible.clear()
    this.addSaved(mutations)
    for (const write of younger) this.#visible.set(write.mutation.key, write)
  }

  /** draft → queued, held or failed: the write is on disk, or this browser cannot save it. */
  markSaved(write: OutboxWrite): void {
    if (write.status === 'draft') write.status = savedStatus(write.mutation)
  }

  /** queued → sending. */
  startSending(keys: readonly string[]): void {
    for (const write of this.#find(keys)) if (write.status === 'queued') write.status = 'sending'
  }

  /** sending → queued, held or failed: the request ended without a receipt. */
  stopSending(keys: readonly string[]): void {
    for (const write of this.#find(keys))
      if (write.status === 'sending') write.status = savedStatus(write.mutation)
  }

  /**
   * queued → failed, failed → queued, held → queued, or the same status with another user. Returns the changed
   * mutations.
   */
  change(keys: readonly string[], change: WriteChange): Mutation[] {
    return this.#find(keys).map((write) => {
      const before = write.mutation
      const next = { ...before, ...change }
      this.notify(before)
      if (this.isVisible(before) && !this.isVisible(next)) this.#hide(write)
      revise(write, next)
      return next
    })
  }

  /** sending → settled, for writes that the server accepted together. In the graph, the receipt replaces the writes. */
  settle(keys: readonly string[], receipt: Receipt, user: string | undefined): void {
    const writes = keys.flatMap((key) => this.#remove(key, 'settled') ?? [])
    this.#graph.settle(user === this.#graph.user ? receipt : withoutRecords(receipt))
    for (const { mutation } of writes) {
      if (this.isVisible(mutation)) this.#graph.settle(emptyReceipt, mutation)
      this.notify(mutation)
    }
    this.#graph.onSettled()
    for (const write of writes) finish(write, Promise.resolve(this.#graph.real(write.mutation.id)))
  }

  /** Any status → discarded: the effect of the writes in the graph is undone. */
  discard(keys: readonly string[]): void {
    for (const key of keys.toReversed()) {
      const write = this.#remove(key, 'discarded')
      if (!write) continue
      if (this.isVisible(write.mutation)) this.#graph.undo(write.mutation)
      this.notify(write.mutation)
      finish(write, Promise.reject(new WeftError('conflict', 'discarded')))
    }
  }

  /**
   * Called when the server serves another store: writes that refer to records of the old store fail, and their data is
   * dropped. Returns these writes.
   */
  replaceStore(): Mutation[] {
    const lost = this.all().filter((write) => this.#isOfOtherStore(write.mutation))
    this.reproject(() => {
      for (const write of lost) revise(write, withoutData(write.mutation))
      this.#graph.resetIds()
    })
    return lost.map((write) => write.mutation)
  }

  /**
   * Undoes all writes in the graph, empties it, and calls `change`. Then projects the writes of the user who is signed
   * in after that.
   */
  reproject(change?: () => void): void {
    const writes = this.all()
    for (const { mutation } of writes) {
      this.#graph.undo(mutation)
      this.notify(mutation)
    }
    this.#graph.clear()
    change?.()
    writes.push(...this.#hidden)
    this.#hidden = []
    this.#visible.clear()
    for (const write of writes) this.add(write)
  }

  /**
   * Called when a retry is requested, of one failed write with its transaction or of all. From then on `synced` is a
   * new promise.
   */
  expectRetry(key?: string): void {
    const batch = key === undefined ? undefined : this.mutation(key)?.batch
    for (const write of this.all()) {
      const { failed, id, ...m } = write.mutation
      const isRequested =
        key === undefined || key === m.key || (batch !== undefined && batch === m.batch)
      if (!failed || id === 0 || !isRequested) continue
      delete write.synced
      write.isRetried = true
    }
  }

  /** Sorts the writes in the order of `keys`, which is that of the disk. Writes that are not on disk yet come last. */
  sort(keys: readonly string[]): void {
    const all = new Map(this.#visible)
    this.#visible.clear()
    for (const key of [...keys, ...all.keys()]) {
      const write = all.get(key)
      if (write) this.#visible.set(key, write)
    }
  }

  /** Returns the visible writes, oldest first. */
  all(): OutboxWrite[] {
    return [...this.#visible.values()]
  }

  /** Returns the mutations of the visible writes, oldest first. */
  mutations(): Mutation[] {
    return this.all().map((write) => write.mutation)
  }

  /** Returns the mutations of all users, without drafts: those that are on disk, or that the browser cannot save. */
  saved(): Mutation[] {
    const saved = [...this.all(), ...this.#hidden].filter(({ status }) => status !== 'draft')
    return saved.map((write) => write.mutation)
  }

  /** Returns the mutation of a visible write. */
  mutation(key: string): Mutation | undefined {
    return this.#visible.get(key)?.mutation
  }

  /** Returns a write of any user. */
  find(key: string): OutboxWrite | undefined {
    return this.#visible.get(key) ?? this.#hidden.find((write) => write.mutation.key === key)
  }

  /** Reports whether this tab has the write, or had it before the write was settled or discarded. */
  knows(key: string): boolean {
    return this.#isEnded(key) || this.find(key) !== undefined
  }

  /** Reports whether the write is settled or discarded. */
  hasEnded({ key }: Mutation): boolean {
    return this.#isEnded(key)
  }

  #isEnded(key: string): boolean {
    return this.#settled.has(key) || this.#discarded.has(key)
  }

  /**
   * Returns the public state of a record's writes: `failed` if any of them failed, otherwise `pending`; undefined if
   * there are none.
   */
  state(id: Id): PendingWrite['state'] | undefined {
    this.#states ??= this.#computeStates()
    return this.#states.get(this.#graph.canonical(id))
  }

  /** Reports whether the current user or a guest made the write. */
  isVisible({ user }: Mutation): boolean {
    return !user || user === this.#graph.user
  }

  /** Notifies the listeners of a write's record, of its type and of the outbox. */
  notify(m: Mutation): void {
    this.#states = undefined
    this.#graph.watchers.notify(this.#graph.canonical(m.id))
    if (m.type) this.#graph.watchers.notify(m.type)
    this.#onChange()
  }

  #find(keys: readonly string[]): OutboxWrite[] {
    return keys.flatMap((key) => this.find(key) ?? [])
  }

  #hide(write: OutboxWrite): void {
    this.#graph.undo(write.mutation)
    this.#visible.delete(write.mutation.key)
    this.#hidden.push(write)
  }

  #remove(key: string, status: 'settled' | 'discarded'): OutboxWrite | undefined {
    const write = this.find(key)
    if (write) write.status = status
    if (status === 'discarded') this.#discarded.add(key)
    else this.#settled.add(key)
    const [oldest = key] = this.#settled
    if (this.#settled.size > maxSettledKeys) this.#settled.delete(oldest)
    this.#visible.delete(key)
    this.#hidden = this.#hidden.filter((other) => other !== write)
    return write
  }

  /** Reports whether a write refers to records of a store other than the graph's. */
  #isOfOtherStore(m: Mutation): boolean {
    const { store } = this.#graph
    return !!store && m.store !== store && referencesOf(m, this.#graph).some(isReal)
  }

  #computeStates(): Map<Id, PendingWrite['state']> {
    const states = new Map<Id, PendingWrite['state']>()
    for (const m of this.mutations()) {
      const id = this.#graph.canonical(m.id)
      if (m.failed || !states.has(id)) states.set(id, publicState(m))
    }
    return states
  }
}

/** Returns the state of a write as the public API names it. */
export const publicState = (m: Mutation): PendingWrite['state'] => (m.failed ? 'failed' : 'pending')

/** Returns the status of a write that is on disk and not being sent. */
const savedStatus = (m: Mutation): WriteStatus => (m.failed ? 'failed' : m.held ? 'held' : 'queued')

/** Replaces the mutation, and the status and promises that follow from it. */
function revise(write: OutboxWrite, mutation: Mutation): void {
  const { failed } = write.mutation
  write.mutation = mutation
  rejectFailed(write, failed)
  if (write.status !== 'draft' && write.status !== 'sending') write.status = savedStatus(mutation)
}

/** Settles the promises of a write that ended, both those that exist and those that are requested later. */
function finish(write: OutboxWrite, outcome: Promise<Id>): void {
  outcome.catch(ignoreError)
  write.outcome = outcome
  write.synced?.resolve(outcome)
  write.settled?.resolve(outcome)
}

const emptyReceipt: Receipt = { concepts: [], connections: [], conceptIds: [], connectionIds: [] }

/** Returns a failed write without records, which is never sent. */
const withoutData = (m: Mutation): Mutation => ({
  ...m,
  concepts: [],
  connections: [],
  removeConcepts: [],
  removeConnections: [],
  id: 0,
  failed: { kind: 'notFound', message: 'the server no longer has the data' },
})
