/** Time limits, in milliseconds. */
export interface WorkerTimeouts {
  /** For a worker that the application registers itself to become ready. */
  readonly readyTimeout: number
  /** For a worker registered by the client to become active, and for any worker to respond to a greeting. */
  readonly activationTimeout: number
  /** Time between two checks for late responses, and the age at which a response is late. */
  readonly checkInterval: number
  /** Time after a new worker took over until the page greets it again. */
  readonly takeoverDelay: number
  /** For the response to a request. Afterwards the page sends the request itself. */
  readonly responseTimeout: number
  /** Time without messages after which a worker may be suspended. Browsers suspend one after 30 s. */
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
