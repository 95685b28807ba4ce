import { WeftError } from '@weft/client'
import { useCallback, useEffect, useState } from 'react'
import { client } from '../model/client.ts'

/** The state of data that is read from the server. */
export type Read<T> =
  | { readonly status: 'loading'; readonly data?: undefined }
  | { readonly status: 'ready'; readonly data: T }
  | { readonly status: 'error'; readonly error: unknown; readonly data?: undefined }

/**
 * Reads data from the server. Reads it again when `key` changes, and when the server announces a change of a watched record.
 * If the server is unavailable for a repeated read, the data stays, and with it the text that the user is editing.
 *
 * @param idsOf returns the ids of the records that are watched
 */
export function useRead<T>(
  key: string,
  read: () => Promise<T>,
  idsOf: (data: T) => readonly number[],
): Read<T> & { readonly reload: () => void } {
  const [state, setState] = useState<{ readonly key: string; readonly value: Read<T> }>()
  const [count, setCount] = useState(0)
  const reload = useCallback(() => setCount((n) => n + 1), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the function
  useEffect(() => {
    let isCurrent = true
    read().then(
      (data) => isCurrent && setState({ key, value: { status: 'ready', data } }),
      (error) =>
        isCurrent &&
        setState((before) =>
          before?.key === key && before.value.status === 'ready' && isUnavailable(error)
            ? before
            : { key, value: { status: 'error', error } },
        ),
    )
    return () => {
      isCurrent = false
    }
  }, [key, count])
  const value: Read<T> = state?.key === key ? state.value : { status: 'loading' }
  const ids = value.status === 'ready' ? idsOf(value.data).join() : ''
  useEffect(() => {
    const stops = ids
      .split(',')
      .filter(Boolean)
      .map((id) => client.onRemoteChange(Number(id), reload))
    return () => {
      for (const stop of stops) stop()
    }
  }, [ids, reload])
  return { ...value, reload }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof WeftError && error.kind === 'unavailable'
