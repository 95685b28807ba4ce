import type { WeftError } from '@weft/client'

/** The state of data that is loaded by id. `missing` means that the server does not have it. */
export type Loaded<T, E extends Error = WeftError> =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly data: T }
  | { readonly status: 'missing' }
  | { readonly status: 'error'; readonly error: E }

/** The state of one record or concept, in the shape that `useSyncExternalStore` expects. */
export interface Lookup<T> {
  get(): Loaded<T>
  /**
   * Loads and follows the record. Calls `onChange` when the state may have changed; returns the unsubscribe function.
   */
  subscribe(onChange: () => void): () => void
}

/**
 * Creates a lookup.
 *
 * Nothing is loaded before the first `subscribe`, so a lookup can be created during a render and discarded.
 *
 * @param peek returns the data that the client holds now
 * @param load loads the data, and resolves with undefined if it does not exist
 * @param watch subscribes to changes of the data
 */
export function lookup<T extends object>(
  peek: () => T | undefined,
  load: () => Promise<T | undefined>,
  watch: (onChange: () => void) => () => void,
): Lookup<T> {
  let stateWithoutData: Loaded<T> = loading
  return {
    get() {
      const data = peek()
      return data === undefined ? stateWithoutData : ready(data)
    },
    subscribe(onChange) {
      let unsubscribed = false
      const settle = (state: Loaded<T>) => {
        if (unsubscribed) return
        stateWithoutData = state
        onChange()
      }
      const stopWatching = watch(onChange)
      load().then(
        () => settle(missing),
        (error: WeftError) => settle({ status: 'error', error }),
      )
      return () => {
        unsubscribed = true
        stopWatching()
      }
    },
  }
}

export const loading = { status: 'loading' } as const
const missing = { status: 'missing' } as const

/** Returns the same state object for the same data object, as `useSyncExternalStore` requires. */
function ready<T extends object>(data: T): Loaded<T> {
  let state = readyStates.get(data)
  if (state === undefined) {
    state = { status: 'ready', data }
    readyStates.set(data, state)
  }
  return state as Loaded<T>
}

const readyStates = new WeakMap<object, Loaded<object>>()
