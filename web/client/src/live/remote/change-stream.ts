import type { Id } from '../../model/id.ts'
import { TabLeader } from '../../sync/tab-leader.ts'
import { parseRetryAfter } from '../../wire/health.ts'
import type { Http } from '../../wire/http.ts'
import { parseRecord } from '../../wire/json.ts'
import { changeStreamRetry, ignoreError, refusedRetry, retryDelay } from '../../wire/retry.ts'
import { userFromToken } from '../../wire/token.ts'
import { readEvents, type StreamEvent } from './events.ts'

/** One committed batch as the server announces it: the concepts it touched, and their types. */
export type Change = readonly Id[]

/**
 * A message of the leader tab to all tabs, itself among them. Tabs with different versions of an application share
 * the channel, so the fields are a wire format.
 *
 * - `ready`: the connection was opened; `at` is the number of the last change before it.
 * - `change`: change number `at` touched the ids of `change`.
 * - `beat`: a heartbeat of the server.
 * - `lost`: changes up to `at` may have been missed.
 * - `silent`: the server does not respond.
 */
interface Message {
  readonly kind: 'ready' | 'change' | 'beat' | 'lost' | 'silent'
  readonly at: number
  readonly change?: Change
  readonly store?: string | undefined
}

/** Posted by a tab that joins. The leader responds with `ready`. */
const hello = 'hello'

/** The data of a `change` event. A wide change touched too many concepts to list them. */
interface ChangeEvent {
  readonly concepts: Change
  readonly types: Change
  readonly wide: boolean
}

type Status = 'closed' | 'following' | 'connecting' | 'open' | 'backoff'

interface Options {
  onChange(change: Change): void
  /** Called when changes may have been missed, so that everything watched must be refetched. */
  onGap(): void
  /** Tabs with the same name share a connection. Without a name, this tab has its own connection. */
  readonly name?: string | undefined
  /** A connection that receives no events for this many ms counts as broken. */
  readonly silenceTimeout?: number
}

/**
 * How long the connection stays open without a listener, in ms, in case one is added soon. In Node an open connection
 * would keep the program running, so it is closed immediately.
 */
const closeDelay = typeof location === 'undefined' ? 0 : 5_000
/** The server sends a heartbeat every 15 s. */
const defaultSilenceTimeout = 40_000

/**
 * The server's stream of changes. Tabs of the same user share one connection, because browsers allow only six to an
 * origin: the leader tab has the connection and posts each event to the others. A new leader continues after the last
 * change that the previous leader announced.
 *
 *     closed ──setWanted(true)──▶ following ──elected──▶ connecting ──ready event──▶ open
 *        ▲                            ▲                      ▲   │                    │
 *        │                            │               timer, │   │ error, end         │ error, end
 *        │                            │               retry()│   ▼                    │
 *        │                            └──another tab leads── backoff ◀────────────────┘
 *        └── close(), closeDelay without listeners, another user (from every status)
 *
 * Without a name the tab is its own leader. `connecting` and `open` also return to `following` when another tab becomes
 * the leader. After `silenceTimeout` without events the leader reconnects, and a follower requests a new election.
 */
export class ChangeStream {
  readonly #http: Http
  readonly #options: Options
  readonly #silenceTimeout: number
  #status: Status = 'closed'
  #isWanted = false
  /** The user that the stream was opened for. */
  #user: string | undefined
  #tabs: TabLeader<Message | typeof hello> | undefined
  /** The number of the last change announced, once known. */
  #lastChange: number | undefined
  #store: string | undefined
  /** The request of this tab while `connecting` or `open`. */
  #request: AbortController | undefined
  /** True from a `silent` message until the next message of another kind. */
  #isServerSilent = false
  /** Number of failed connections since the last event; the delays are those of `wire/retry.ts`. */
  #failures = 0
  #retrySchedule = changeStreamRetry
  /** Minimum of the next delay, from the last `Retry-After` header. */
  #retryAfterMs = 0
  #closeTimer: ReturnType<typeof setTimeout> | undefined
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #silenceTimer: ReturnType<typeof setTimeout> | undefined

  constructor(http: Http, options: Options) {
    this.#http = http
    this.#options = options
    this.#silenceTimeout = options.silenceTimeout ?? defaultSilenceTimeout
  }

  /** Opens the stream, or closes it after a delay. */
  setWanted(isWanted: boolean): void {
    this.#isWanted = isWanted
    clearTimeout(this.#closeTimer)
    if (isWanted) this.#join()
    else this.#closeTimer = setTimeout(() => this.close(), closeDelay)
  }

  /** Reconnects as the user who is signed in now. */
  reopen(): void {
    if (userFromToken(this.#http.token) !== this.#user) this.close()
    if (this.#isWanted) this.#join()
    this.retry()
  }

  /** Connects now instead of after the backoff, because the network is back or the token changed. */
  retry(): void {
    const isBroken = this.#status === 'connecting' || this.#status === 'backoff'
    if (isBroken && this.#http.online) void this.#connect()
  }

  close(): void {
    this.#tabs?.close()
    this.#tabs = undefined
    this.#disconnect('closed')
    clearTimeout(this.#closeTimer)
    clearTimeout(this.#silenceTimer)
  }

  #join(): void {
    if (this.#status !== 'closed') return
    this.#status = 'following'
    this.#user = userFromToken(this.#http.token)
    this.#lastChange = undefined
    this.#restartSilenceTimer()
    const { name, onGap } = this.#options
    if (name === undefined) return void this.#connect()
    this.#tabs = new TabLeader(`${name} events ${this.#user ?? ''}`, {
      onEvent: (message) => (message === hello ? this.#greet() : this.#onMessage(message)),
      onGap,
      onLeadership: (isLeader) => (isLeader ? void this.#connect() : this.#disconnect('following')),
    })
    this.#tabs.publish(hello)
    this.#tabs.requestLeader()
  }

  /** Connects and reads events until the connection ends. Then waits for the backoff and connects again. */
  async #connect(): Promise<void> {
    this.#disconnect('connecting')
    const request = new AbortController()
    this.#request = request
    this.#retrySchedule = changeStreamRetry
    this.#retryAfterMs = 0
    const hasResponded = await this.#readEvents(request).catch(() => false)
    if (request !== this.#request) return
    if (!hasResponded) this.#publishSilent()
    this.#disconnect('backoff')
    const delay = retryDelay(this.#retrySchedule, this.#failures++, this.#retryAfterMs)
    this.#retryTimer = setTimeout(() => void this.#connect(), delay)
  }

  /**
   * Resolves at the end of the stream: with true if the server itself responded, and with false if a proxy did. Rejects
   * if the request failed.
   */
  async #readEvents(request: AbortController): Promise<boolean> {
    const after = this.#lastChange === undefined ? '' : `?after=${this.#lastChange}`
    const { signal } = request
    const response = await this.#http.fetchWithToken(`/api/v1/events${after}`, { signal })
    // A user without permission will be refused again: retry rarely.
    const isRefused = response.status === 401 || response.status === 403
    if (isRefused) this.#retrySchedule = refusedRetry
    else this.#retryAfterMs = parseRetryAfter(response.headers.get('Retry-After'))
    if (response.ok && response.body) {
      // The server has responded, even if the connection breaks later.
      await readEvents(response.body, (event) => {
        if (request === this.#request) this.#onStreamEvent(event)
      }).catch(ignoreError)
    }
    // An error that is not JSON comes from a proxy in front of the server.
    return response.ok || !!response.headers.get('Content-Type')?.includes('json')
  }

  /** Ends the request, or the wait for the next one. */
  #disconnect(status: Status): void {
    clearTimeout(this.#retryTimer)
    this.#request?.abort()
    this.#request = undefined
    this.#status = status
  }

  /** Announces an event of the server to all tabs. */
  #onStreamEvent({ name, id, data }: StreamEvent): void {
    const at = Number(id)
    this.#failures = 0
    if (name === 'change') {
      const { concepts = [], types = [], wide } = parseRecord<ChangeEvent>(data)
      if (wide) this.#publish({ kind: 'lost', at })
      else this.#publish({ kind: 'change', at, change: [...concepts, ...types] })
    } else if (name === 'ready' || name === 'reset') {
      this.#status = 'open'
      this.#store = parseRecord<{ store: string }>(data).store
      this.#publish({ kind: name === 'ready' ? name : 'lost', at, store: this.#store })
    } else if (name === '' && id) this.#publish({ kind: 'beat', at })
  }

  #publish(message: Message): void {
    this.#tabs?.publish(message)
    this.#onMessage(message)
  }

  /** Announces that the server does not respond. A page that sends no requests would otherwise not notice. */
  #publishSilent(): void {
    this.#publish({ kind: 'silent', at: this.#lastChange ?? 0 })
  }

  /** Sends the position of the stream to a tab that joined. */
  #greet(): void {
    if (this.#status === 'open' && this.#lastChange !== undefined)
      this.#tabs?.publish({ kind: 'ready', at: this.#lastChange, store: this.#store })
  }

  /** Handles a message of the leader. A change that two leaders announced, one after the other, counts once. */
  #onMessage({ kind, at, change, store }: Message): void {
    this.#restartSilenceTimer()
    const { online } = this.#http
    // The message contradicts what this tab assumes about the server.
    if (kind === 'silent' ? online : this.#isServerSilent && !online)
      this.#http.checkHealth().catch(ignoreError)
    this.#isServerSilent = kind === 'silent'
    if (this.#isServerSilent) return
    const previous = this.#lastChange
    const isNew = previous === undefined || at > previous
    if (isNew || kind === 'lost') this.#lastChange = at
    if (store) this.#http.onStoreSeen(store)
    const isGap = previous === undefined || kind === 'lost' || (kind === 'ready' && isNew)
    if (isGap) this.#options.onGap()
    else if (isNew && change) this.#options.onChange(change)
  }

  #restartSilenceTimer(): void {
    clearTimeout(this.#silenceTimer)
    this.#silenceTimer = setTimeout(() => {
      this.#restartSilenceTimer()
      if (this.#status === 'following') this.#tabs?.requestLeader()
      else if (this.#request) {
        this.#publishSilent()
        void this.#connect()
      }
    }, this.#silenceTimeout)
  }
}
