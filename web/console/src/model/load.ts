import { useCallback, useEffect, useRef, useState } from 'react'
import { request } from './request.ts'

/**
 * Data that a component loads from the server. Data of an earlier load stays visible during a reload and after a failed
 * one.
 */
export interface Load<T> {
  readonly status: 'loading' | 'ready' | 'error'
  readonly data: T | undefined
  readonly error: unknown
  /** Loads again. Resolves when the new data has arrived, or the load has failed. */
  readonly reload: () => Promise<void>
}

type LoadState<T> = Omit<Load<T>, 'reload'>

/**
 * Loads the JSON of a path as the signed-in user, and loads again when the path changes. A response that arrives after the path has
 * changed is ignored.
 *
 * @param load loads the data of the path, by default as JSON with `request`; only the function of the first call is used
 */
export function useLoad<T>(path: string, load: (path: string) => Promise<T> = request): Load<T> {
  const [state, setState] = useState<LoadState<T>>({
    status: 'loading',
    data: undefined,
    error: undefined,
  })
  const current = useRef('')
  const loader = useRef(load)
  const reload = useCallback(async () => {
    current.current = path
    try {
      const data = await loader.current(path)
      if (current.current === path) setState({ status: 'ready', data, error: undefined })
    } catch (error) {
      if (current.current === path) setState(({ data }) => ({ status: 'error', data, error }))
    }
  }, [path])
  useEffect(() => {
    void reload()
    return () => {
      current.current = ''
    }
  }, [reload])
  return { ...state, reload }
}
