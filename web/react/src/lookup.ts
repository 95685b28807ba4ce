import type { WeftError } from '@weft/client'

/** What is known of one thing of the graph. `missing` means the server was asked and has no such thing. */
export type Loaded<T> =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly data: T }
  | { readonly status: 'missing' }
  | { readonly status: 'error'; readonly error: WeftError }

/** A state that can be read at any time and calls back when it may have changed. */
export interface Lookup<T> {
  get(): Loaded<T>
  subscribe(changed: () => void): () => void
}

/**
 * Follows one thing. Nothing is asked for before the first subscriber, so making a lookup while
 * rendering costs nothing and may be thrown away.
 */
export function lookup<T extends object>(
  peek: () => T | undefined,
  load: () => Promise<T | undefined>,
  watch: (changed: () => void) => () => void,
): Lookup<T> {
  let absent: Loaded<T> = loading
  return {
    get() {
      const data = peek()
      return data === undefined ? absent : ready(data)
    },
    subscribe(changed) {
      let left = false
      const settle = (state: Loaded<T>) => {
        if (left) return
        absent = state
        changed()
      }
      const stop = watch(changed)
      load().then(
        () => settle(missing),
        (error: WeftError) => settle({ status: 'error', error }),
      )
      return () => {
        left = true
        stop()
      }
    },
  }
}

export const loading = { status: 'loading' } as const
const missing = { status: 'missing' } as const

/** The client hands out the same object until it changes, and so does this. */
function ready<T extends object>(data: T): Loaded<T> {
  let state = known.get(data)
  if (state === undefined) {
    state = { status: 'ready', data }
    known.set(data, state)
  }
  return state as Loaded<T>
}

const known = new WeakMap<object, Loaded<object>>()
