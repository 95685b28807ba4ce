/*
 * Retry with backoff. Every delay between two attempts is declared here, so a longer backoff is a change of one
 * schedule.
 *
 *   schedule            attempt that is repeated                                                delays
 *   serverRetry         health check of a server after no response, a 408, a 429 or a 5xx,      1 s, 2 s, 4 s … 60 s
 *                       such as 503; until it succeeds, the outbox and the live queries send nothing
 *   changeStreamRetry   connecting to the change stream                                         1 s, 2 s, 4 s … 60 s
 *   refusedRetry        a write after a 401; the change stream after a 401 or 403               60 s
 *   localRetry          loading code, storing on disk, refetching after an error                10 s
 *   clientLogRetry      sending client logs                                                     10 s, 10.5 s, 11 s …
 *
 * With `serverRetry` and `changeStreamRetry`, a `Retry-After` header of the failed response is the minimum of the next
 * delay. The other schedules ignore the header. The server sends one with each 429 and 503.
 */

interface RetrySchedule {
  /** Delay after the first failure, in milliseconds. */
  readonly baseMs: number
  /** Factor by which each further failure multiplies the delay. Default: 1. */
  readonly factor?: number
  /** Milliseconds that each further failure adds. Default: 0. */
  readonly stepMs?: number
  /** Maximum delay, without its jitter, in milliseconds. Default: none. */
  readonly capMs?: number
  /**
   * A fraction: the delay varies at random by up to this share, up or down, so that clients that failed together do not
   * retry together. Default: 0.
   */
  readonly jitter?: number
}

const jitter = 0.25

export const serverRetry: RetrySchedule = { baseMs: 1_000, factor: 2, capMs: 60_000, jitter }
export const changeStreamRetry: RetrySchedule = { baseMs: 1_000, factor: 2, capMs: 60_000, jitter }
export const refusedRetry: RetrySchedule = { baseMs: 60_000, jitter }
const localRetry: RetrySchedule = { baseMs: 10_000, jitter }
export const clientLogRetry: RetrySchedule = { baseMs: 10_000, stepMs: 500 }

/**
 * Returns the delay before the next attempt, in milliseconds.
 *
 * @param failures Number of failures before the last one.
 * @param retryAfterMs Minimum of the delay, from a `Retry-After` header.
 */
export function retryDelay(schedule: RetrySchedule, failures = 0, retryAfterMs = 0): number {
  const { baseMs, factor = 1, stepMs = 0, capMs = Infinity, jitter: share = 0 } = schedule
  const backoff = Math.min(baseMs * factor ** failures + stepMs * failures, capMs)
  return Math.max(backoff * (1 - share + 2 * share * Math.random()), retryAfterMs)
}

/** Runs work again after the delay of `localRetry`. */
export const retryLater = (work: () => void) => setTimeout(work, retryDelay(localRetry))

/** Ignores a rejection that was reported elsewhere, or that is of optional work. */
export const ignoreError = (): void => {}
