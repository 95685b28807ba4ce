import type { Http } from '../wire/http.ts'
import { lazyLoad } from '../wire/lazy.ts'
import { retryLater } from '../wire/retry.ts'
import type { Change, ChangeStream } from './remote/change-stream.ts'

/**
 * Keeps the server's change stream open while at least one caller needs it. The code of the stream is loaded for the
 * first caller. Earlier changes are not missed: when a stream opens, it calls `onGap`, and the data is refetched.
 */
export class Feed {
  readonly #loadStream: () => Promise<ChangeStream>
  #stream: ChangeStream | undefined
  #callers = 0

  /**
   * Calls `onGap` when changes may have been missed, so that everything watched must be refetched. Tabs with the same
   * `name` share a stream.
   */
  constructor(
    http: Http,
    onChange: (change: Change) => void,
    onGap: () => void,
    name: string | undefined,
  ) {
    this.#loadStream = lazyLoad(async () => {
      const { ChangeStream } = await import('./remote/index.ts')
      this.#stream = new ChangeStream(http, { onChange, onGap, name })
      return this.#stream
    })
  }

  /** Keeps the stream open until the returned function is called. */
  keepOpen(): () => void {
    this.#callers++
    this.#open()
    let isNeeded = true
    return () => {
      if (!isNeeded) return
      isNeeded = false
      if (--this.#callers === 0) this.#stream?.setWanted(false)
    }
  }

  close(): void {
    this.#callers = 0
    this.#stream?.close()
  }

  /** Reconnects as the user who is signed in now. */
  reopen(): void {
    this.#stream?.reopen()
  }

  /** Reconnects immediately, because the network is back. */
  retry(): void {
    this.#stream?.retry()
  }

  /** Opens the stream. In Node an open stream keeps the program running until the last listener is removed. */
  #open(): void {
    if (this.#callers === 0) return
    this.#loadStream().then(
      (stream) => stream.setWanted(this.#callers > 0),
      () => retryLater(() => this.#open()),
    )
  }
}
