import { WeftError } from '../model/error.ts'

/**
 * Wraps the dynamic import of a module, so that it is loaded once, on first use. Rejects with `unavailable` when
 * loading fails; the next call tries again.
 */
export function lazyLoad<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch((e) => {
      loaded = undefined
      throw new WeftError('unavailable', 'code of this page could not be loaded', e)
    })
    return loaded
  }
}
