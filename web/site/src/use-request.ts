import type { WeftError } from '@weft/client'
import { useEffect, useState } from 'react'

/** The state of a request that a component displays. */
export type RequestState<T> =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly data: T }
  | { readonly status: 'error'; readonly error: WeftError; readonly retry: () => void }

/** Runs a request when the component mounts and whenever `key` changes. Ignores the results of earlier keys. */
export function useRequest<T>(key: string, request: () => Promise<T>): RequestState<T> {
  const [tries, setTries] = useState(0)
  const [latest, setLatest] = useState<{ key: string; state: RequestState<T> }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the request
  useEffect(() => {
    let isCurrent = true
    const update = (state: RequestState<T>) => isCurrent && setLatest({ key, state })
    const retry = () => {
      update({ status: 'loading' })
      setTries(tries + 1)
    }
    request().then(
      (data) => update({ status: 'ready', data }),
      (error: WeftError) => update({ status: 'error', error, retry }),
    )
    return () => {
      isCurrent = false
    }
  }, [key, tries])
  return latest?.key === key ? latest.state : { status: 'loading' }
}
