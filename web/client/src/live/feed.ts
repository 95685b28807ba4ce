import { type Http, ignore, later } from '../wire/http.ts'
import type { Change, Stream } from './stream.ts'

/**
 * The server's changes, for all who listen. The code of the stream is loaded when somebody does first; nothing
 * is missed until then, because everybody looks again when it begins.
 */
export class Feed {
  readonly #begin: () => Promise<Stream>
  #stream: Stream | undefined
  #listeners = 0
  #loading = false

  /** Calls lost when changes may have been missed: whoever watches anything must look again. */
  constructor(http: Http, changed: (change: Change) => void, lost: () => void) {
    this.#begin = async () => new (await import('./stream.ts')).Stream(http, changed, lost)
  }

  /** Listens until the function returned is called. */
  listen(): () => void {
    this.#listeners++
    void this.#follow()
    let listening = true
    return () => {
      if (!listening) return
      listening = false
      if (--this.#listeners === 0) this.#stream?.want(false)
    }
  }

  close(): void {
    this.#listeners = 0
    this.#stream?.close()
  }

  /** Listens as whoever is signed in now. */
  reopen(): void {
    this.#stream?.reopen()
  }

  async #follow(): Promise<void> {
    if (this.#listeners === 0 || this.#loading || typeof EventSource !== 'function') return
    this.#loading = true
    this.#stream ??= (await this.#begin().catch(ignore)) ?? undefined
    this.#loading = false
    if (this.#stream) this.#stream.want(this.#listeners > 0)
    else later(() => this.#follow())
  }
}
