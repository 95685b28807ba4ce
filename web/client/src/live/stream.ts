import type { Id } from '../graph/id.ts'
import { Tabs } from '../sync/tabs.ts'
import { pauseOf } from '../wire/health.ts'
import type { Http } from '../wire/http.ts'
import { said } from '../wire/json.ts'
import { userOf } from '../wire/token.ts'
import { ignore, jitter, longestWait } from '../wire/wait.ts'
import { readEvents, type StreamEvent } from './events.ts'

/** One committed batch as the server tells it: the concepts it touched, and their types. */
export type Change = readonly Id[]

/** What the tab that has the stream tells the others, and itself. */
interface Told {
  readonly kind: 'ready' | 'change' | 'beat' | 'lost' | 'silent'
  /** The number of the last change that is told by now. */
  readonly at: number
  readonly change?: Change
  readonly store?: string | undefined
}

/** Said by a tab that begins to listen, and is to be told how far the stream is. */
const hello = 'hello'

/** Once nobody listens any more the stream stays open this long, in case somebody comes, in ms. */
const linger = 5_000
/** The server says something every 15 s. After that many ms of silence the line counts as dead. */
const longestSilence = 40_000
/** How long to wait after a line broke, in ms: doubled each time. */
const firstWait = 1_000

/**
 * The server's stream of changes, open only while somebody listens, and once for all tabs that listen as the
 * same user: they queue for a lock, and who has it tells the others. Who comes next goes on where the one
 * before left off. Loaded when somebody listens first.
 */
export class Stream {
  readonly #http: Http
  readonly #changed: (change: Change) => void
  readonly #lost: () => void
  readonly #name: string | undefined
  readonly #silence: number
  #wanted = false
  #joined = false
  #user: string | undefined
  #tabs: Tabs<Told | typeof hello> | undefined
  /** The number of the last change heard of. */
  #at: number | undefined
  #store: string | undefined
  /** The request under way or open, and whether the server has begun to answer. */
  #line: AbortController | undefined
  #ready = false
  /** Says whether the server was found silent since it last began to answer. */
  #silent = false
  #wait = firstWait
  #leaving: ReturnType<typeof setTimeout> | undefined
  #retrying: ReturnType<typeof setTimeout> | undefined
  #listening: ReturnType<typeof setTimeout> | undefined

  /**
   * Calls lost when changes may have been missed: whoever watches anything must look again. Tabs with the same
   * name share the stream.
   */
  constructor(
    http: Http,
    changed: (change: Change) => void,
    lost: () => void,
    name?: string,
    silence: number = longestSilence,
  ) {
    this.#http = http
    this.#changed = changed
    this.#lost = lost
    this.#name = name
    this.#silence = silence
  }

  /** Says whether anybody listens. */
  want(wanted: boolean): void {
    this.#wanted = wanted
    clearTimeout(this.#leaving)
    if (wanted) this.#join()
    else this.#leaving = setTimeout(() => this.close(), linger)
  }

  /** Listens as whoever is signed in now. */
  reopen(): void {
    if (userOf(this.#http.token) !== this.#user) this.close()
    if (this.#wanted) this.#join()
    this.retry()
  }

  /** The network is back, or the token is another: there is no need to wait for the next try. */
  retry(): void {
    if (this.#joined && this.#leads() && !this.#ready && this.#http.online) void this.#connect()
  }

  close(): void {
    this.#joined = false
    this.#tabs?.close()
    this.#tabs = undefined
    this.#hangUp()
    clearTimeout(this.#leaving)
    clearTimeout(this.#listening)
  }

  #join(): void {
    if (this.#joined) return
    this.#joined = true
    this.#user = userOf(this.#http.token)
    this.#at = undefined
    this.#listen()
    if (this.#name === undefined) return void this.#connect()
    this.#tabs = new Tabs(`${this.#name} events ${this.#user ?? ''}`, {
      hear: (told) => (told === hello ? this.#greet() : this.#hear(told)),
      missed: () => this.#lost(),
      lead: (leading) => (leading ? void this.#connect() : this.#hangUp()),
    })
    this.#tabs.tell(hello)
    this.#tabs.expect()
  }

  #leads(): boolean {
    return this.#tabs ? this.#tabs.leading : true
  }

  /** Has a line of its own from now on. What is here may have been asked for a moment before it begins. */
  async #connect(): Promise<void> {
    this.#hangUp()
    const line = new AbortController()
    this.#line = line
    let answers = false
    try {
      const after = this.#at === undefined ? '' : `?after=${this.#at}`
      const { signal } = line
      const answer = await this.#http.get(`/api/v1/events${after}`, { signal })
      // Who may not listen is told so again: there is no need to ask often.
      const refused = answer.status === 401 || answer.status === 403
      const pause = pauseOf(answer.headers.get('Retry-After'))
      this.#wait = refused ? longestWait : Math.max(this.#wait, pause)
      // A page is from something before the server.
      answers = answer.ok || !!answer.headers.get('Content-Type')?.includes('json')
      if (answer.ok && answer.body) {
        await readEvents(answer.body, (event) => line === this.#line && this.#take(event))
      }
    } catch {
      // A line that breaks is as one that ends.
    }
    if (line !== this.#line) return
    if (!answers) this.#tellSilent()
    this.#hangUp()
    this.#retrying = setTimeout(() => void this.#connect(), jitter(this.#wait))
    this.#wait = Math.min(2 * this.#wait, longestWait)
  }

  #hangUp(): void {
    clearTimeout(this.#retrying)
    this.#line?.abort()
    this.#line = undefined
    this.#ready = false
  }

  /** Tells an event to everybody. */
  #take({ name, id, data }: StreamEvent): void {
    const at = Number(id)
    this.#wait = firstWait
    if (name === 'change') {
      const { concepts = [], types = [], wide } = said<Batch>(data)
      if (wide) this.#tell({ kind: 'lost', at })
      else this.#tell({ kind: 'change', at, change: [...concepts, ...types] })
    } else if (name === 'ready' || name === 'reset') {
      this.#ready = true
      this.#store = said<{ store: string }>(data).store
      this.#tell({ kind: name === 'ready' ? name : 'lost', at, store: this.#store })
    } else if (name === '' && id) this.#tell({ kind: 'beat', at })
  }

  #tell(told: Told): void {
    this.#tabs?.tell(told)
    this.#hear(told)
  }

  /** A page that asks for nothing would not notice otherwise that there is no server. */
  #tellSilent(): void {
    this.#tell({ kind: 'silent', at: this.#at ?? 0 })
  }

  /** Another tab listens from now on. */
  #greet(): void {
    if (this.#ready && this.#at !== undefined)
      this.#tabs?.tell({ kind: 'ready', at: this.#at, store: this.#store })
  }

  /** What two tabs tell, as when one has taken the stream over from another, counts once. */
  #hear({ kind, at, change, store }: Told): void {
    this.#listen()
    if (kind === 'silent' ? this.#http.online : this.#silent && !this.#http.online)
      this.#http.probe().catch(ignore)
    this.#silent = kind === 'silent'
    if (this.#silent) return
    const before = this.#at
    const isNew = before === undefined || at > before
    if (isNew || kind === 'lost') this.#at = at
    if (store) this.#http.met(store)
    if (before === undefined || kind === 'lost' || (kind === 'ready' && isNew)) this.#lost()
    else if (isNew && change) this.#changed(change)
  }

  /** After too long a silence begins the line anew, or asks whether the tab that has it is there. */
  #listen(): void {
    clearTimeout(this.#listening)
    this.#listening = setTimeout(() => {
      this.#listen()
      if (!this.#leads()) this.#tabs?.expect()
      else if (this.#line) {
        this.#tellSilent()
        void this.#connect()
      }
    }, this.#silence)
  }
}

/** What is told of a change. A wide one touched too much to list. */
interface Batch {
  readonly concepts: Change
  readonly types: Change
  readonly wide: boolean
}
