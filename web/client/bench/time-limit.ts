/** The maximum time between two results, in ms. */
const limit = 60_000

/** The table cell of a measurement that took longer than the limit. */
export const timedOut = `over ${limit / 1_000} s` as const
/** The table cell of a measurement that threw. */
export const failed = 'failed'

/** Starts a timer that each call of `restart` restarts. `expired` resolves when it expires. */
export function startTimer() {
  let onExpired = () => {}
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<typeof timedOut>((resolve) => {
    onExpired = () => resolve(timedOut)
  })
  const restart = () => {
    clearTimeout(timer)
    timer = setTimeout(onExpired, limit)
  }
  restart()
  return { restart, expired, stop: () => clearTimeout(timer) }
}

/** Resolves with the result of `work`. If it timed out or failed, resolves with the table cell for that. */
export async function withTimeout<T>(
  work: Promise<T>,
): Promise<T | typeof timedOut | typeof failed> {
  const timer = startTimer()
  try {
    return await Promise.race([orFailed(work), timer.expired])
  } finally {
    timer.stop()
  }
}

/** Resolves with the result of `work`. If it failed, resolves with the table cell for that. */
export async function orFailed<T>(work: Promise<T>): Promise<T | typeof failed> {
  try {
    return await work
  } catch (e) {
    process.stderr.write(`${e}\n`)
    return failed
  }
}
