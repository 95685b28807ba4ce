import type { Id } from '../graph/id.ts'
import { type Http, later, said } from '../wire/http.ts'

/** One committed batch as the server tells it: the concepts it touched, and their types. */
export type Change = readonly Id[]

interface Told {
  readonly concepts: Change
  readonly types: Change
}

/** Once nobody listens any more the stream stays open this long, in case somebody comes. */
const linger = 5_000

/** The server's stream of changes, open only while somebody listens. Loaded when somebody does first. */
export class Stream {
  readonly #http: Http
  readonly #changed: (change: Change) => void
  readonly #lost: () => void
  #source: EventSource | undefined
  #wanted = false
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Calls lost when changes may have been missed: whoever watches anything must look again. */
  constructor(http: Http, changed: (change: Change) => void, lost: () => void) {
    this.#http = http
    this.#changed = changed
    this.#lost = lost
  }

  /** Says whether anybody listens. */
  want(wanted: boolean): void {
    this.#wanted = wanted
    clearTimeout(this.#timer)
    if (wanted) this.#open()
    else this.#timer = setTimeout(() => this.close(), linger)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#source?.close()
    this.#source = undefined
  }

  /** Listens as whoever is signed in now. */
  reopen(): void {
    this.close()
    if (this.#wanted) this.#open()
  }

  /** A stream starts now, and what is here may have been asked for a moment before now. */
  #open(): void {
    if (this.#source) return
    const { url, token } = this.#http
    const source = new EventSource(`${url}/api/v1/events${token ? `?access_token=${token}` : ''}`)
    this.#source = source
    let started = false
    const ready = (e: MessageEvent) => {
      this.#http.met(said<{ store: string }>(e.data).store)
      if (!started || e.type === 'reset') this.#lost()
      started = true
    }
    source.addEventListener('ready', ready)
    source.addEventListener('reset', ready)
    source.addEventListener('change', (e) => {
      const { concepts = [], types = [] } = said<Told>(e.data)
      this.#changed([...concepts, ...types])
    })
    source.addEventListener('error', () => this.#failed(source))
  }

  /** The browser reconnects by itself after a broken line, but not after a refusal. */
  #failed(source: EventSource): void {
    if (source.readyState !== EventSource.CLOSED || source !== this.#source) return
    this.close()
    this.#timer = later(() => this.reopen())
  }
}
