import { isLocal } from '../model/id.ts'
import type { Mutation, Receipt } from '../model/mutation.ts'
import type { Http } from '../wire/http.ts'
import { ignoreError, refusedRetry, retryDelay, retryLater } from '../wire/retry.ts'
import { readFromServers } from '../wire/servers.ts'
import { discardExpiredTransactions, followTransactions } from './abandoned.ts'
import { changeWrites } from './change-writes.ts'
import { keysOf, unitKeysOf } from './dependents.ts'
import { DiscardRequests } from './discard-requests.ts'
import type { Engine, Outbox } from './outbox.ts'
import { hasOrphans, markOrphans, reconcile } from './reconcile.ts'
import { filterWholeUnits } from './request-groups.ts'
import { Sender } from './sender.ts'
import type { SyncEvent } from './sync-event.ts'
import { TabLeader } from './tab-leader.ts'

/** Options of reading: servers to read records from, in addition to the main server. */
export interface ReadOptions {
  readonly servers?: readonly string[]
  readonly application?: string
}

/**
 * Whether this tab sends.
 *
 *   following  → takingOver  this tab became the leader, or it acts alone
 *   takingOver → leading     the memory agrees with the disk
 *   any        → following   another tab became the leader
 */
type Role = 'following' | 'takingOver' | 'leading'

/**
 * State of the loop that sends. It is independent of the role: a request under way is completed even if the tab stops
 * leading.
 *
 *   idle      → requested  send(), in the role `leading`, online, and with a token if one is needed
 *   requested → sending    the loop takes the writes that can be sent
 *   sending   → requested  send() during a request, or a request that may leave more to send
 *   sending   → idle       the request ended, and nothing can be sent now
 */
type Loop = 'idle' | 'requested' | 'sending'

/**
 * Sends the writes of an outbox to the server while this tab leads, and keeps the outboxes of all tabs equal. Loaded
 * after the page has started.
 */
export class SyncEngine implements Engine {
  #role: Role = 'following'
  #loop: Loop = 'idle'
  readonly #outbox: Outbox
  readonly #http: Http
  readonly #sender: Sender
  readonly #discards: DiscardRequests
  /** Keys of writes that another tab could not save, so that they are not on disk. */
  readonly #unsavedElsewhere = new Set<string>()
  /** Open transactions that are discarded when the pages that began them are closed. */
  readonly #followed = new Set<string>()
  /** Undefined until `join` is called, and without a shared database. */
  #tabs: TabLeader<SyncEvent> | undefined
  /** Tries again after the server required a token. */
  #tokenTimer: ReturnType<typeof setTimeout> | undefined

  constructor(outbox: Outbox, http: Http, { servers, application = '' }: ReadOptions) {
    this.#outbox = outbox
    this.#http = http
    const { pending, graph } = outbox
    this.#sender = new Sender({
      http,
      names: graph,
      user: () => graph.user,
      onSending: (keys) => pending.startSending(keys),
      onUnsent: (keys) => pending.stopSending(keys),
      onSettled: (keys, receipt, user) => this.#onSettled(keys, receipt, user),
      onRefused: (keys, failed) => changeWrites(outbox, keys, { failed }),
      onAdopted: (keys, user) => changeWrites(outbox, keys, { user }),
    })
    this.#discards = new DiscardRequests({
      outbox,
      closed: http.closeSignal,
      isLeader: () => this.#isLeader(),
      requestLeader: () => this.#tabs?.requestLeader(),
      publishKnownKeys: () => this.#publishKnownKeys(),
    })
    http.closeSignal.addEventListener('abort', () => {
      clearTimeout(this.#tokenTimer)
      this.#tabs?.close()
    })
    outbox.opened.then(() => discardExpiredTransactions(outbox, http)).catch(ignoreError)
    if (servers || application) void readFromServers(http, application, servers)
  }

  /** Joins the tabs that share the database. Without a shared database, every tab acts alone. */
  join(): void {
    const { storage } = this.#outbox
    if (!storage?.shared) {
      this.#tabs?.close()
      this.#tabs = undefined
      this.#outbox.setPublisher(ignoreError)
      void this.#onLeadership()
    } else if (!this.#tabs) {
      const tabs = this.#openTabs()
      this.#tabs = tabs
      this.#outbox.setPublisher((event) => {
        if (event.kind !== 'added') return tabs.publish(event)
        const afloat = keysOf(event.mutations).filter((key) => storage.unsaved.has(key))
        tabs.publish({ ...event, afloat })
        tabs.requestLeader()
      })
      void this.#reconcile().then(() => this.#publishKnownKeys())
    }
  }

  /** Sends one request after the other while there are writes that can be sent. */
  send(force = false): void {
    if (this.#http.online) this.#tabs?.checkUser()
    if (this.#role !== 'leading' || this.#http.closeSignal.aborted || !this.#http.online) return
    if (this.#outbox.needsToken && !force) return
    this.#loop = 'requested'
    this.#outbox.sending ??= this.#runLoop().finally(() => {
      const isRequested = this.#loop === 'requested'
      this.#loop = 'idle'
      this.#outbox.sending = undefined
      if (isRequested) this.send()
    })
  }

  /**
   * Queues failed writes again, and sends now. With a key: that write and the other writes of its transaction;
   * otherwise all.
   */
  retry(key?: string): void {
    this.#tabs?.requestLeader()
    const { pending } = this.#outbox
    const writes = pending.mutations()
    const requested = key === undefined ? undefined : unitKeysOf(writes, key)
    const failed = keysOf(writes.filter((m) => m.failed && m.id))
    const keys = failed.filter((key) => !requested || requested.includes(key))
    if (keys.length > 0) {
      void changeWrites(this.#outbox, keys, { failed: undefined })
      markOrphans(this.#outbox)
    }
    this.#outbox.userChanged()
  }

  discard(key: string): Promise<void> {
    return this.#discards.discard(key)
  }

  #openTabs(): TabLeader<SyncEvent> {
    const { name, graph } = this.#outbox
    return new TabLeader<SyncEvent>(name, {
      onEvent: (event) => this.#onEvent(event),
      onGap: () => void this.#reconcile(),
      onLeadership: () => void this.#onLeadership(),
      user: () => `${graph.user ?? ''}${this.#outbox.needsToken ? ' without a token' : ''}`,
      hasWork: () => !this.#outbox.needsToken && this.#sendable().length > 0,
    })
  }

  #isLeader(): boolean {
    return this.#tabs?.isLeader ?? true
  }

  /** Called when this tab became the leader, or stopped being the leader. */
  async #onLeadership(): Promise<void> {
    this.#role = 'following'
    if (this.#isLeader()) {
      this.#role = 'takingOver'
      await this.#reconcile()
    }
    if (this.#isLeader()) this.#publishKnownKeys()
    this.#role = this.#isLeader() ? 'leading' : 'following'
    this.#discards.wake()
    this.send()
  }

  /**
   * Publishes the keys of the saved writes, so that other tabs compare their own: a tab may have saved or removed a
   * write and closed before it published the event.
   */
  #publishKnownKeys(): void {
    this.#outbox.publish({ kind: 'left', keys: keysOf(this.#outbox.pending.saved()) })
  }

  #onEvent(event: SyncEvent): void {
    const { pending } = this.#outbox
    switch (event.kind) {
      case 'added':
        for (const key of event.afloat ?? []) this.#unsavedElsewhere.add(key)
        pending.addSaved(event.mutations)
        this.#followTransactions(event.mutations)
        if (hasOrphans(this.#outbox)) markOrphans(this.#outbox)
        break
      case 'settled':
        void this.#onSettledElsewhere(event)
        this.#onEnded(event.keys)
        break
      case 'discard':
        void this.#discards.onRequest(event.key)
        break
      case 'discarded':
        this.#discards.onDiscarded(event.keys)
        this.#onEnded(event.keys)
        break
      case 'left':
        this.#compareKeys(event.keys)
        this.#discards.wake()
        break
      case 'marked':
        pending.change(event.keys, event.mark)
        break
      case 'store':
        this.#http.onStoreSeen(event.store)
        break
    }
    this.send()
  }

  /** Called when another tab has settled or discarded writes. */
  #onEnded(keys: readonly string[]): void {
    for (const key of keys) this.#unsavedElsewhere.delete(key)
    this.#discards.wake()
  }

  /** Compares the writes of another tab with the writes of this tab. They differ if one of the tabs missed an event. */
  #compareKeys(keys: readonly string[]): void {
    const { pending, storage } = this.#outbox
    const otherKeys = new Set(keys)
    const onlyHere = pending.saved().filter((m) => !otherKeys.has(m.key))
    const unsaved = onlyHere.filter((m) => storage?.unsaved.has(m.key))
    if (unsaved.length > 0) this.#outbox.publish({ kind: 'added', mutations: unsaved })
    if (onlyHere.length > unsaved.length || keys.some((key) => !pending.knows(key)))
      void this.#reconcile()
  }

  /**
   * If this tab missed the event that settled the creation of a record, it lacks the real ids for writes that refer to
   * that record. They are read from the disk.
   */
  async #onSettledElsewhere(event: SyncEvent & { readonly kind: 'settled' }): Promise<void> {
    const { keys, receipt, user } = event
    const { pending, graph } = this.#outbox
    const named = new Set(receipt.conceptIds.map(([local]) => local))
    const ids = keys.map((key) => pending.find(key)?.mutation.id ?? 0)
    if (ids.some((id) => isLocal(graph.real(id)) && !named.has(id))) await this.#reconcile()
    pending.settle(keys, receipt, user)
  }

  async #reconcile(): Promise<void> {
    await reconcile(this.#outbox, this.#unsavedElsewhere)
    this.#followTransactions(this.#outbox.pending.mutations())
    this.#discards.wake()
    this.send()
  }

  #followTransactions(writes: readonly Mutation[]): void {
    followTransactions(this.#outbox, writes, this.#followed, this.#http.closeSignal)
  }

  async #runLoop(): Promise<void> {
    while (this.#loop === 'requested') {
      this.#loop = 'sending'
      const writes = this.#sendable()
      if (writes.length === 0) return
      const { token } = this.#http
      // An error here is a defect of the client. It must not lose writes.
      const outcome = await this.#sender
        .send(writes)
        .catch(() => void retryLater(() => this.send()))
      if (outcome === 'sent') this.send()
      if (outcome === 'none') markOrphans(this.#outbox)
      // Unless the application has set another token meanwhile, every request would be refused.
      if (outcome === 'token' && token === this.#http.token) return this.#waitForToken()
    }
  }

  /** Returns the writes that may be sent, oldest first. A transaction is included as a whole or not at all. */
  #sendable(): readonly Mutation[] {
    const { pending } = this.#outbox
    const all = pending.all()
    const ready = all.filter(({ status }) => status === 'queued' || status === 'sending')
    const mutations = new Set(ready.map((write) => write.mutation))
    return filterWholeUnits(pending.mutations(), (m) => mutations.has(m))
  }

  async #onSettled(...settled: Settled): Promise<void> {
    this.#outbox.needsToken = false
    this.#outbox.pending.settle(...settled)
    await this.#saveSettled(...settled)
  }

  /**
   * Removes settled writes from the disk and publishes their keys. If the disk fails, both steps are repeated later,
   * because a tab that opens in the meantime reads the writes as queued. If the browser restarts before that, the
   * writes are sent again, and the server returns the same receipt.
   */
  async #saveSettled(...[keys, receipt, user]: Settled): Promise<void> {
    if (this.#http.closeSignal.aborted) return
    const repeat = () => void this.#saveSettled(keys, receipt, user)
    await this.#outbox.storage?.settle(keys, receipt, user).catch(() => retryLater(repeat))
    this.#outbox.publish({ kind: 'settled', keys, receipt, user })
  }

  #waitForToken(): void {
    this.#outbox.needsToken = true
    this.#tabs?.checkUser()
    this.#outbox.notify()
    clearTimeout(this.#tokenTimer)
    this.#tokenTimer = setTimeout(() => this.send(true), retryDelay(refusedRetry))
  }
}

type Settled = [keys: readonly string[], receipt: Receipt, user: string | undefined]
