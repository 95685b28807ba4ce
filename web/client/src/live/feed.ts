import type { Id } from '../graph/id.ts'
import { type Http, isRecord, jitter, parse } from '../wire/http.ts'

/** One committed batch as the server tells it. */
export interface Change {
  readonly concepts: readonly Id[]
  readonly types: readonly Id[]
}

/** Once nobody listens any more the stream stays open this long, in case somebody comes. */
const linger = 5_000
/** When the server refuses the stream, it is asked again after about this long. */
const patience = 10_000

/** The server's stream of changes, shared, and open only while somebody listens. */
export class Feed {
  readonly #http: Http
  readonly #changed: (change: Change) => void
  readonly #lost: () => void
  #source: EventSource | undefined
  #listeners = 0
  #last: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Calls lost when changes may have been missed: whoever watches anything must look again. */
  constructor(http: Http, changed: (change: Change) => void, lost: () => void) {
    this.#http = http
    this.#changed = changed
    this.#lost = lost
  }

  /** Listens until the function returned is called. */
  listen(): () => void {
    this.#listeners++
    clearTimeout(this.#timer)
    this.#open()
    let listening = true
    return () => {
      if (!listening) return
      listening = false
      if (--this.#listeners === 0) this.#timer = setTimeout(() => this.close(), linger)
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#source?.close()
    this.#source = undefined
    this.#last = undefined
  }

  #open(): void {
    if (this.#source || typeof EventSource !== 'function') return
    const after = this.#last === undefined ? '' : `?after=${this.#last}`
    const source = new EventSource(`${this.#http.url}/api/v1/events${after}`)
    this.#source = source
    source.addEventListener('ready', (e) => this.#ready(e))
    source.addEventListener('change', (e) => this.#change(e))
    source.addEventListener('reset', (e) => {
      this.#remember(e)
      this.#lost()
    })
    source.addEventListener('error', () => this.#failed(source))
  }

  /** The first stream starts now, and queries may have been answered a moment before now. */
  #ready(e: MessageEvent): void {
    if (this.#last !== undefined) return
    this.#remember(e)
    this.#lost()
  }

  #change(e: MessageEvent): void {
    this.#last = e.lastEventId || this.#last
    const { concepts = [], types = [] } = said(e)
    this.#changed({ concepts, types })
  }

  #remember(e: MessageEvent): void {
    const seq = said(e).seq
    if (typeof seq === 'number') this.#last = String(seq)
  }

  /** The browser reconnects by itself after a broken line, but not after a refusal. */
  #failed(source: EventSource): void {
    if (source.readyState !== EventSource.CLOSED || source !== this.#source) return
    this.#source = undefined
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#listeners > 0 && this.#open(), jitter(patience))
  }
}

/** What an event says, as far as it says anything. */
const said = (e: MessageEvent): Partial<Change> & { readonly seq?: unknown } => {
  const json = parse(e.data)
  return isRecord(json) ? json : {}
}
