import type { Http } from '../wire/http.ts'
import { later, lazy } from '../wire/wait.ts'
import type { Change, Stream } from './stream.ts'

/**
 * The server's changes, for all who listen. The code of the stream is loaded when somebody does first; nothing
 * is missed until then, because everybody looks again when it begins.
 */
export class Feed {
  readonly #begin: () => Promise<Stream>
  #stream: Stream | undefined
  #listeners = 0

  /**
   * Calls lost when changes may have been missed: whoever watches anything must look again. Tabs with the same
   * name share a stream.
   */
  constructor(
    http: Http,
    changed: (change: Change) => void,
    lost: () => void,
    name: string | undefined,
  ) {
    this.#begin = lazy(async () => {
      const { Stream } = await import('./stream.ts')
      this.#stream = new Stream(http, changed, lost, name)
      return this.#stream
    })
  }

  /** Listens until the function returned is called. */
  listen(): () => void {
    this.#listeners++
    this.#follow()
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

  /** The network is back. */
  retry(): void {
    this.#stream?.retry()
  }

  /** Pages and workers listen; a program elsewhere asks when it wants to know. */
  #follow(): void {
    if (this.#listeners === 0 || typeof location === 'undefined') return
    this.#begin().then(
      (stream) => stream.want(this.#listeners > 0),
      () => later(() => this.#follow()),
    )
  }
}
