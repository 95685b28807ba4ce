import { randomNumber } from '../store/local-ids.ts'

/**
 * Leader election among the tabs of a browser profile that share a name, and a channel between them.
 *
 * The leader is the tab that holds the Web Lock of that name. It does the work that must be done once for all tabs.
 *
 *   follower  → leader      the browser grants the lock: the previous leader closed, crashed or was suspended
 *   follower  → candidate   requestLeader(): the tab posts a ping and starts `leaderTimeout`
 *   candidate → follower    a leader responds with a pong
 *   candidate → leader      no pong within `leaderTimeout`, or a pong for another user while this tab has work for
 *                           its own: the tab steals the lock
 *   leader    → follower    another tab stole the lock; this tab queues for it again
 *   any       → suspended   pagehide, freeze: the tab gives up the lock, its place in the queue and the channel
 *   suspended → follower    pageshow, resume: the tab joins again and reports a gap, because it missed events
 *   any       → closed      close()
 *
 * If the browser has no locks, or does not allow them, every tab becomes a leader immediately.
 */
export type TabStatus = 'follower' | 'candidate' | 'leader' | 'suspended' | 'closed'

/**
 * A message on the channel: an event, or a part of the election. Tabs that run different versions of an application
 * share the channel, so the fields are a wire format.
 */
export type TabMessage<T> =
  /** An event. `from` is the random number of the publishing tab, `n` counts its events from 1. */
  | { readonly from: number; readonly n: number; readonly news: T }
  /** A candidate asks whether the leader responds. */
  | 'ping'
  /** The leader responds with the user that it works for. */
  | { readonly pong: string }
  /** The leader gives up the lock. */
  | 'bye'

/** Callbacks of a tab. */
export interface TabHandlers<T> {
  /** Receives each event of other tabs once. Events of one tab arrive in order. */
  onEvent(event: T): void
  /** Called when events may have been missed. */
  onGap(): void
  /** Called when this tab became the leader, or stopped being the leader. */
  onLeadership(isLeader: boolean): void
  /** Returns the user that this tab works for. A leader that works for another user cannot do the work of this tab. */
  user?(): string
  /** Whether this tab has work for a leader of its own user. */
  hasWork?(): boolean
}

/** A candidate that receives no pong within this time steals the lock, in ms. */
const leaderTimeout = 3_000

export class TabLeader<T> {
  #status: TabStatus = 'follower'
  /** The user that the leader works for, as of its last pong. */
  #leaderUser = ''
  readonly #name: string
  readonly #handlers: TabHandlers<T>
  readonly #id = randomNumber()
  /** Number of the last event published here, and of the last event received from each other tab. */
  #published = 0
  readonly #received = new Map<number, number>()
  readonly #closing = new AbortController()
  /** Open unless the tab is suspended or closed. */
  #channel: BroadcastChannel | undefined
  /** Aborting this controller ends this tab's request for the lock, or releases the lock. */
  #lock: AbortController | undefined
  /** The timer of `leaderTimeout`, while the status is `candidate`. */
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(name: string, handlers: TabHandlers<T>) {
    this.#name = name
    this.#handlers = handlers
    const on = (event: string, work: () => void) =>
      globalThis.addEventListener?.(event, work, { signal: this.#closing.signal, capture: true })
    for (const event of ['pagehide', 'freeze']) on(event, () => this.#suspend('suspended'))
    for (const event of ['pageshow', 'resume']) on(event, () => this.#resume())
    on('visibilitychange', () => document.hidden || this.requestLeader())
    this.#join()
  }

  get isLeader(): boolean {
    return this.#status === 'leader'
  }

  /** Sends an event to all other tabs. */
  publish(news: T): void {
    this.#post({ from: this.#id, n: ++this.#published, news })
  }

  /** Ensures that a leader responds: if none does within `leaderTimeout`, this tab becomes the leader. */
  requestLeader(): void {
    if (this.#status !== 'follower') return
    this.#post('ping')
    this.#become('candidate')
    this.#timer = setTimeout(() => this.#requestLock(true), leaderTimeout)
  }

  /**
   * Must be called when the result of `user` or `hasWork` may have changed, because the leader may now work for another
   * user than this tab.
   */
  checkUser(): void {
    if (this.#leaderUser === this.#user()) return
    if (this.isLeader) this.#respond()
    else if (this.#handlers.hasWork?.()) this.requestLeader()
  }

  close(): void {
    this.#closing.abort()
    this.#suspend('closed')
  }

  /**
   * Closes the channel, because a page with an open channel cannot enter the back/forward cache. The 'bye' makes the
   * followers request a leader: the next tab in the queue for the lock may be a frozen one that the browser has not
   * removed yet.
   */
  #suspend(status: 'suspended' | 'closed'): void {
    if (this.isLeader) this.#post('bye')
    this.#lock?.abort()
    this.#lock = undefined
    this.#become(status)
    this.#channel?.close()
    this.#channel = undefined
  }

  #resume(): void {
    if (this.#status !== 'suspended') return
    this.#join()
    this.#handlers.onGap()
  }

  #join(): void {
    this.#become('follower')
    this.#channel = new BroadcastChannel(this.#name)
    this.#channel.onmessage = (e: MessageEvent<TabMessage<T>>) => this.#onMessage(e.data)
    this.#requestLock()
  }

  #onMessage(message: TabMessage<T>): void {
    if (message === 'bye') this.requestLeader()
    else if (message === 'ping') this.#respond()
    else if ('pong' in message) this.#onPong(message.pong)
    else this.#onEvent(message.from, message.n, message.news)
  }

  #respond(): void {
    if (!this.isLeader) return
    this.#leaderUser = this.#user()
    this.#post({ pong: this.#leaderUser })
  }

  #onPong(user: string): void {
    this.#leaderUser = user
    if (this.#status !== 'candidate') return
    this.#become('follower')
    if (user !== this.#user() && this.#handlers.hasWork?.()) this.#requestLock(true)
  }

  #user(): string {
    return this.#handlers.user?.() ?? ''
  }

  /**
   * The first event received from a tab is never a gap, because the effects of its earlier events were read from the
   * disk.
   */
  #onEvent(from: number, n: number, event: T): void {
    const last = this.#received.get(from) ?? n - 1
    if (n <= last) return
    this.#received.set(from, n)
    if (n > last + 1) this.#handlers.onGap()
    this.#handlers.onEvent(event)
  }

  /** Queues for the lock, or steals it, and holds it until `#lock` is aborted. */
  #requestLock(steal = false): void {
    this.#lock?.abort()
    const lock = new AbortController()
    this.#lock = lock
    const { signal } = lock
    const hold = () => {
      if (signal.aborted) return undefined
      this.#become('leader')
      return new Promise<void>((release) => signal.addEventListener('abort', () => release()))
    }
    const locks = globalThis.navigator?.locks
    if (!locks) return void hold()
    locks.request(this.#name, steal ? { steal } : { signal }, hold).catch((e: DOMException) => {
      if (this.#lock !== lock) return
      // An AbortError means that another tab stole the lock, any other error that this page may not use locks.
      if (e.name !== 'AbortError') return void hold()
      this.#become('follower')
      this.#requestLock()
    })
  }

  #become(status: TabStatus): void {
    clearTimeout(this.#timer)
    const wasLeader = this.isLeader
    this.#status = status
    if (this.isLeader === wasLeader) return
    this.#respond()
    this.#handlers.onLeadership(this.isLeader)
  }

  #post(message: TabMessage<T>): void {
    this.#channel?.postMessage(message)
  }
}
