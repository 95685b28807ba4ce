/** How long things may take, in milliseconds. */
export interface Times {
  /** For a worker that the application registers itself to be ready. */
  readonly ready: number
  /** For a worker registered here to be active, and for any worker to answer a greeting. */
  readonly activation: number
  /** Between two looks at what waits: requests not sent yet, and those without an answer. */
  readonly check: number
  /** After a new worker took over, until what waits is sent again. */
  readonly settled: number
  /** For a request, in all. */
  readonly answer: number
  /** After which a worker nobody spoke to may have been put to sleep: browsers wait 30 s. */
  readonly awake: number
}

export const usual: Times = {
  ready: 30_000,
  activation: 10_000,
  check: 2_000,
  settled: 5_000,
  answer: 210_000,
  awake: 20_000,
}
