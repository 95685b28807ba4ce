import { isLocal } from '../graph/id.ts'
import type { Mutation, Receipt } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import type { Http } from '../wire/http.ts'
import { useServers } from '../wire/servers.ts'
import { ignore, jitter, later, longestWait } from '../wire/wait.ts'
import { catchUp } from './catch-up.ts'
import { together } from './dependents.ts'
import { discarding } from './discard.ts'
import { refusalFor } from './gone.ts'
import { wholly } from './group.ts'
import { dropExpired } from './held.ts'
import { keysOf } from './keys.ts'
import { markOrphans, orphaned } from './orphans.ts'
import type { Outbox } from './outbox.ts'
import { note, put, settle } from './outcome.ts'
import type { Pending } from './pending.ts'
import { sending } from './sender.ts'
import { type News, Tabs } from './tabs.ts'

/** Where records are read from besides the server itself. */
export interface Reads {
  readonly servers?: readonly string[]
  readonly application?: string
}

/** Writes that are over, and what the server said of them to whom. */
type Over = [keys: readonly string[], receipt: Receipt, user: string | undefined]

/** Takes the writes of an outbox to the server, while its tab leads. Loaded once the page has started. */
export class Courier {
  readonly #outbox: Outbox
  readonly #graph: Graph
  readonly #http: Http
  readonly #send: ReturnType<typeof sending>
  #leading = false
  /** Says whether there was reason to send while a request was on its way. */
  #again = false
  /** Keys of writes that another tab could not save. */
  readonly #afloat = new Set<string>()
  readonly #discarding: ReturnType<typeof discarding>
  #tabs: Tabs<News> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(outbox: Outbox, graph: Graph, http: Http, { servers, application = '' }: Reads) {
    this.#outbox = outbox
    this.#graph = graph
    this.#http = http
    this.#send = sending({
      http,
      names: graph,
      user: () => graph.user,
      settled: (keys, receipt, user) => this.#taken(keys, receipt, user),
      refused: (keys, error) => {
        const writes = keys.flatMap((key) => outbox.pending.find(key)?.m ?? [])
        return note(outbox, keys, { failed: refusalFor(error, writes, graph) })
      },
      adopted: (keys, user) => note(outbox, keys, { user }),
    })
    this.#discarding = discarding(outbox, {
      leads: () => this.#leads(),
      expect: () => this.#tabs?.expect(),
      tellLeft: () => this.#tellLeft(),
      closed: http.closed,
    })
    http.closed.addEventListener('abort', () => {
      clearTimeout(this.#timer)
      this.#tabs?.close()
    })
    outbox.opened.then(() => dropExpired(outbox, http)).catch(ignore)
    if (servers || application) void useServers(http, application, servers)
  }

  /** Joins the tabs that share the disk. Without one that is shared every tab stands for itself. */
  join(): void {
    const { name, storage, untold } = this.#outbox
    if (!storage?.shared) {
      this.#tabs?.close()
      this.#tabs = undefined
      untold.length = 0
      this.#outbox.tell = ignore
      void this.#lead()
    } else if (!this.#tabs) {
      const tabs = new Tabs<News>(name, {
        hear: (news) => this.#hear(news),
        missed: () => void this.#catchUp(),
        lead: () => void this.#lead(),
        as: () => `${this.#graph.user ?? ''}${this.#outbox.needsToken ? ' without a token' : ''}`,
        waits: () => !this.#outbox.needsToken && waiting(this.#outbox.pending).length > 0,
      })
      this.#tabs = tabs
      this.#outbox.tell = (news) => {
        if (news.kind !== 'added') return tabs.tell(news)
        const afloat = keysOf(news.mutations).filter((key) => storage.unsaved.has(key))
        tabs.tell({ ...news, afloat })
        tabs.expect()
      }
      for (const news of untold.splice(0)) this.#outbox.tell(news)
      void this.#catchUp().then(() => this.#tellLeft())
    }
  }

  /** Who saved a write, or took it off the disk, may have gone before the others heard of it. */
  #tellLeft(): void {
    this.#outbox.tell({ kind: 'left', keys: keysOf(this.#outbox.pending.saved()) })
  }

  #leads(): boolean {
    return this.#tabs?.leading ?? true
  }

  /** From now on this tab sends, or does no more. */
  async #lead(): Promise<void> {
    this.#leading = false
    if (this.#leads()) await this.#catchUp()
    if (this.#leads()) this.#tellLeft()
    this.#leading = this.#leads()
    this.#discarding.stir()
    this.send()
  }

  #hear(news: News): void {
    const { pending } = this.#outbox
    if (news.kind === 'added') {
      for (const key of news.afloat ?? []) this.#afloat.add(key)
      for (const m of news.mutations) pending.add({ m, saved: true })
      if (pending.mutations().some((m) => m.failed === orphaned)) markOrphans(this.#outbox)
    } else if (news.kind === 'settled') void this.#settled(news)
    else if (news.kind === 'store') this.#http.met(news.store)
    else if (news.kind === 'discard') void this.#discarding.asked(news.key)
    else if (news.kind === 'discarded') this.#discarding.heard(news.keys)
    else if (news.kind === 'left') this.#compare(news.keys)
    else put(pending, news.keys, news.mark)
    if (news.kind === 'settled' || news.kind === 'discarded')
      for (const key of news.keys) this.#afloat.delete(key)
    if (['settled', 'discarded', 'left'].includes(news.kind)) this.#discarding.stir()
    this.send()
  }

  /** Who comes, or leads from now on, has other writes than this tab: it missed some, or this tab did. */
  #compare(keys: readonly string[]): void {
    const { pending, storage } = this.#outbox
    const there = new Set(keys)
    const more = pending.saved().filter((m) => !there.has(m.key))
    const unsaved = more.filter((m) => storage?.unsaved.has(m.key))
    if (unsaved.length > 0) this.#outbox.tell({ kind: 'added', mutations: unsaved })
    if (more.length > unsaved.length || keys.some((key) => !pending.knows(key)))
      void this.#catchUp()
  }

  /** What a write is about may have been settled unheard: the disk says as what. */
  async #settled({ keys, receipt, user }: News & { readonly kind: 'settled' }): Promise<void> {
    const told = new Set(receipt.conceptIds.map(([local]) => local))
    const ids = keys.map((key) => this.#outbox.pending.find(key)?.m.id ?? 0)
    if (ids.some((id) => isLocal(this.#graph.real(id)) && !told.has(id))) await this.#catchUp()
    settle(this.#outbox, keys, receipt, user)
  }

  /** Another tab may have finished writes, or made some, unheard. */
  async #catchUp(): Promise<void> {
    await catchUp(this.#outbox, this.#afloat)
    this.#discarding.stir()
    this.send()
  }

  /** Sends what can be sent, one request after the other: whoever writes may be welcome by now. */
  send(anyway = false): void {
    if (this.#http.online) this.#tabs?.claim()
    if (!this.#leading || this.#http.closed.aborted || !this.#http.online) return
    if (this.#outbox.needsToken && !anyway) return
    this.#again = true
    this.#outbox.flight ??= this.#sendAll().finally(() => {
      this.#outbox.flight = undefined
      if (this.#again) this.send()
    })
  }

  /** Tries again now: what was refused, all or one, and whatever waits. */
  retry(key?: string): void {
    this.#tabs?.expect()
    const { pending } = this.#outbox
    const asked = key === undefined ? undefined : together(pending, key)
    const failed = pending.mutations().filter((m) => m.failed && m.id)
    const keys = failed.map((m) => m.key).filter((key) => !asked || asked.includes(key))
    if (keys.length > 0) {
      void note(this.#outbox, keys, { failed: undefined })
      markOrphans(this.#outbox)
    }
    this.#outbox.signedIn()
  }

  discard(key: string): Promise<void> {
    return this.#discarding.discard(key)
  }

  async #sendAll(): Promise<void> {
    while (this.#again) {
      this.#again = false
      const writes = waiting(this.#outbox.pending)
      if (writes.length === 0) return
      // What goes wrong here is our fault, and no reason to lose what was written.
      const verdict = await this.#send(writes).catch(() => void later(() => this.send()))
      if (verdict === 'sent') this.send()
      if (verdict === 'none') markOrphans(this.#outbox)
      if (verdict === 'token') this.#waitForToken()
    }
  }

  async #taken(...[keys, receipt, user]: Over): Promise<void> {
    this.#outbox.needsToken = false
    settle(this.#outbox, keys, receipt, user)
    await this.#finish(keys, receipt, user)
  }

  /**
   * Takes what is over off the disk, and tells the other tabs. Where it stays there both are done again: a tab that opens
   * meanwhile takes it for waiting. The next visit sends it again, and the server answers the same.
   */
  async #finish(...[keys, receipt, user]: Over): Promise<void> {
    if (this.#http.closed.aborted) return
    const again = () => void this.#finish(keys, receipt, user)
    await this.#outbox.storage?.settle(keys, receipt, user).catch(() => later(again))
    this.#outbox.tell({ kind: 'settled', keys, receipt, user })
  }

  #waitForToken(): void {
    this.#outbox.needsToken = true
    this.#tabs?.claim()
    this.#outbox.changed()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.send(true), jitter(longestWait))
  }
}

/** The writes that may be sent, oldest first. */
function waiting(pending: Pending): readonly Mutation[] {
  const saved = new Set(pending.entries().map((e) => e.saved && e.m))
  return wholly(pending.mutations(), (m) => saved.has(m) && !m.failed && !m.held)
}
