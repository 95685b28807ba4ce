/** The version of all that is said below, except for what a greeting and a welcome need to tell their own. */
export const protocol = 1

/**
 * What a page says to a worker, through the worker itself, because that wakes it and keeps it awake until the
 * requests of the page are answered. The port that comes along carries everything else. A page greets again when
 * something of this changed, when the worker may have been put to sleep, and when it waits for long.
 */
export interface Greeting {
  readonly weft: 'hello'
  readonly protocol: number
  /** Tells pages apart, by chance. */
  readonly page: string
  /** Names the database, the lock and the channel of the client. */
  readonly name: string
  readonly application: string
  /** Origin of the server. Where others answer reads, each request says which. */
  readonly base: string
  readonly session: string
  /** What the application tells its worker. */
  readonly flags: Readonly<Record<string, boolean>>
  readonly token: string | undefined
  /** Address of the page, for it to be kept. */
  readonly address: string
  /** Numbers of the requests that have waited for long: does the worker know them? */
  readonly waiting: readonly number[]
  /** When that was so, by the clock of the page. */
  readonly at: number
}

/** What a page says when it goes, and its writes are not all sent. */
export interface Farewell {
  readonly weft: 'farewell'
  readonly name: string
}

/** What a worker asks all pages when it has forgotten who is signed in: they greet. */
export interface Question {
  readonly weft: 'who'
}

/** A request to post. */
export interface Ask {
  readonly id: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came of a request: the answer of the server, or `status` 0 and that there is none. */
export interface Answer {
  readonly id: number
  readonly status: number
  readonly headers: [name: string, value: string][]
  readonly text: string
}

/** What travels over the port to the worker. */
export type ToWorker =
  | { readonly asks: readonly Ask[] }
  /** The answer to `renew`. */
  | { readonly token: string | undefined }

/** The answer to a greeting: the protocol, and which of the requests that waited at that time are not known. */
export interface Welcome {
  readonly welcome: number
  readonly unknown: readonly number[]
  readonly at: number
}

/** What travels over the port to the page. */
export type ToPage =
  | Welcome
  | { readonly answers: readonly Answer[] }
  /** The server does not know the token any more. */
  | { readonly renew: true }

/** Collects items until the end of the task, and sends them as one message. */
export function batching<T>(send: (items: T[]) => void): (item: T) => void {
  let batch: T[] | undefined
  return (item) => {
    if (!batch) {
      batch = []
      queueMicrotask(() => {
        const items = batch ?? []
        batch = undefined
        send(items)
      })
    }
    batch.push(item)
  }
}
