import { WeftError } from '../graph/error.ts'

/** The longest wait, in ms, before something that failed is tried again. */
export const longestWait = 60_000

/** About that long: clients that failed together should not come back together. */
export const jitter = (wait: number): number => wait * (0.75 + Math.random() / 2)

/** Does work, in about ten seconds, that was refused or did not load. */
export const later = (work: () => void) => setTimeout(work, jitter(10_000))

/** What load brings, loaded when first asked for. Rejects where it does not load; the next to ask tries again. */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch((e) => {
      loaded = undefined
      throw new WeftError('unavailable', 'code did not load', e)
    })
    return loaded
  }
}

/** For a promise whose failure has been seen to. */
export const ignore = (): void => {}
