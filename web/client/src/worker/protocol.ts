/*
 * The messages between a page and its service worker.
 *
 * Posted to the worker, which wakes it, or to the page:
 *
 *   page ──Greeting, with a port──▶ worker
 *   page ──Farewell──▶ worker                 when the page is left with unsent writes
 *   worker ──Question──▶ all pages            when the worker needs a token; the pages then greet it
 *
 * Over the port of the greeting:
 *
 *   worker ──Welcome──▶ page
 *   page ──requests (asks)──▶ worker ──responses (answers)──▶ page
 *   worker ──renew──▶ page ──token──▶ worker
 *
 * A page and a worker may have different versions, so the members of these messages must not be renamed.
 */

/**
 * Version of the messages, sent as `Greeting.protocol` and `Welcome.welcome`. If the welcome has another version, the
 * page sends its requests itself.
 */
export const protocolVersion = 1

/**
 * Introduces a page to the worker. A browser keeps a worker awake until the worker has handled such a message. A page
 * greets again when its user or session changed, after a `Question`, when a new worker takes over, when the worker may
 * have been suspended, and when a response or a `Welcome` is late.
 */
export interface Greeting {
  readonly weft: 'hello'
  readonly protocol: number
  /** Random id of the page. */
  readonly page: string
  /** Name of the client's database, lock and channel. */
  readonly name: string
  /** `ClientOptions.application`, or an empty string. */
  readonly application: string
  /** Origin of the server. Each request has its own URL, because other servers may serve reads. */
  readonly base: string
  /** Session number that the page sends with its requests. */
  readonly session: string
  /** Flags that the application passes to its worker. */
  readonly flags: Readonly<Record<string, boolean>>
  readonly token: string | undefined
  /** URL of the page. The worker caches the page under this URL for offline use. */
  readonly address: string
  /** Ids of the requests whose responses are late. The `Welcome` lists those that the worker is not processing. */
  readonly waiting: readonly number[]
  /** Time of this message by the page's monotonic clock, in ms. */
  readonly at: number
}

/** Sent when a page is left before all its writes are sent. */
export interface Farewell {
  readonly weft: 'farewell'
  readonly name: string
}

/**
 * Asks all pages to greet, because the worker does not have the user's token, for example because the browser had ended
 * the worker.
 */
export interface Question {
  readonly weft: 'who'
}

/** A POST request for the worker to send. */
export interface WorkerRequest {
  readonly id: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The server's response to a request. If there was none, `status` is 0 and `text` is the reason. */
export interface WorkerResponse {
  readonly id: number
  readonly status: number
  readonly headers: [name: string, value: string][]
  readonly text: string
}

/** Messages over the port to the worker. */
export type ToWorker =
  | { readonly asks: readonly WorkerRequest[] }
  /** The response to `renew`. */
  | { readonly token: string | undefined }

/** The response to a greeting. */
export interface Welcome {
  /** Protocol version of the worker. */
  readonly welcome: number
  /**
   * Ids from the greeting's `waiting` that the worker is not processing, because it has not received these requests or
   * has already responded.
   */
  readonly unknown: readonly number[]
  /** `at` of the greeting. */
  readonly at: number
}

/** Messages over the port to the page. */
export type ToPage =
  | Welcome
  | { readonly answers: readonly WorkerResponse[] }
  /** The server refused the token; the page is asked for a new one. */
  | { readonly renew: true }
