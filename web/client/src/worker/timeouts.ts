/** Time limits, in milliseconds. */
export interface WorkerTimeouts {
  /** Time for a worker that the application registers itself to become ready. */
  readonly readyTimeout: number
  /** Time for a worker registered by the client to become active, and for any worker to respond to a greeting. */
  readonly activationTimeout: number
  /** Interval of the checks for late responses, and the age at which a response counts as late. */
  readonly checkInterval: number
  /** Delay of the second greeting after a new worker took over. */
  readonly takeoverDelay: number
  /** Time for the response to a request. After that the page sends the request itself. */
  readonly responseTimeout: number
  /** After this time without messages, a worker counts as possibly suspended. Browsers suspend a worker after 30 s. */
  readonly sleepAfter: number
}

export const defaultTimeouts: WorkerTimeouts = {
  readyTimeout: 30_000,
  activationTimeout: 10_000,
  checkInterval: 2_000,
  takeoverDelay: 5_000,
  responseTimeout: 210_000,
  sleepAfter: 20_000,
}
