import type { WeftError } from '@weft/client'
import { useEffect, useState } from 'react'

/** How far an answer has got. */
export type Asked<T> =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly data: T }
  | { readonly status: 'error'; readonly error: WeftError; readonly retry: () => void }

/** Asks whenever the name of the question changes. */
export function useAsked<T>(name: string, question: () => Promise<T>): Asked<T> {
  const [tries, setTries] = useState(0)
  const [answer, setAnswer] = useState<{ name: string; asked: Asked<T> }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for the question
  useEffect(() => {
    let current = true
    const say = (asked: Asked<T>) => current && setAnswer({ name, asked })
    const retry = () => {
      say({ status: 'loading' })
      setTries(tries + 1)
    }
    question().then(
      (data) => say({ status: 'ready', data }),
      (error: WeftError) => say({ status: 'error', error, retry }),
    )
    return () => {
      current = false
    }
  }, [name, tries])
  return answer?.name === name ? answer.asked : { status: 'loading' }
}
