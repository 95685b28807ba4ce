import type { Mutation, Receipt } from '../graph/mutation.ts'
import { ignore } from '../wire/http.ts'

/** What the tabs of one application tell each other. */
export type News =
  | { readonly kind: 'added'; readonly mutation: Mutation }
  | {
      readonly kind: 'settled'
      readonly key: string
      readonly receipt: Receipt
      /** To whom the server said it. */
      readonly user: string | undefined
    }
  | { readonly kind: 'marked'; readonly key: string; readonly failed: Mutation['failed'] }
  | { readonly kind: 'store'; readonly store: string }
  | { readonly kind: 'discarded'; readonly keys: readonly string[] }

/**
 * The other tabs of this application. One of them leads: it alone sends, for all. Where the browser has no
 * locks every tab leads, which costs requests and no data, because sending twice changes nothing.
 */
export class Tabs {
  readonly #channel: BroadcastChannel
  readonly #closing = new AbortController()

  constructor(name: string, hear: (news: News) => void, lead: () => void) {
    this.#channel = new BroadcastChannel(name)
    this.#channel.onmessage = (e: MessageEvent<News>) => hear(e.data)
    const locks = globalThis.navigator?.locks
    if (!locks) {
      lead()
      return
    }
    const { signal } = this.#closing
    locks
      .request(name, { signal }, () => {
        lead()
        return new Promise<void>((end) => signal.addEventListener('abort', () => end()))
      })
      .catch(ignore) // closed before it was this tab's turn
  }

  tell(news: News): void {
    this.#channel.postMessage(news)
  }

  close(): void {
    this.#closing.abort()
    this.#channel.close()
  }
}
