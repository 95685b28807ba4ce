/** Milliseconds that may pass without a word of what is measured. */
const limit = 60_000

/** What a cell says of something that took longer. */
export const over = `over ${limit / 1_000} s` as const
/** Of something that threw. */
export const failed = 'failed'

/** A limit that begins anew with each sign of life. */
export function watchdog() {
  let late = () => {}
  let timer: NodeJS.Timeout | undefined
  const bitten = new Promise<typeof over>((done) => {
    late = () => done(over)
  })
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(late, limit)
  }
  alive()
  return { alive, bitten, end: () => clearTimeout(timer) }
}

/** What comes of work, or what a cell says of work that takes too long or fails. */
export async function within<T>(work: Promise<T>): Promise<T | typeof over | typeof failed> {
  const dog = watchdog()
  try {
    return await Promise.race([tried(work), dog.bitten])
  } finally {
    dog.end()
  }
}

/** What comes of work, or what a cell says of work that fails. */
export async function tried<T>(work: Promise<T>): Promise<T | typeof failed> {
  try {
    return await work
  } catch (e) {
    process.stderr.write(`${e}\n`)
    return failed
  }
}
