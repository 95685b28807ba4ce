import { useCallback, useMemo } from 'react'
import { useConsole } from '../model/console.tsx'
import { useLocation } from '../model/router.ts'
import { parseQuestion, type WireQuery } from './question/wire.ts'

/** The question that is being built, and a function that changes it. */
export interface Question {
  readonly query: WireQuery
  /** Whether the address has a text that is not a question. The question is then empty. */
  readonly isMalformed: boolean
  /** Replaces the question. The change can be undone; its label describes it: "Added Quantity at least 10". */
  readonly change: (label: string, next: WireQuery) => void
}

/** Returns the question in the address. */
export function useQuestion(): Question {
  const { setParams, undo } = useConsole()
  const { params } = useLocation()
  const text = params.get('query') ?? ''
  const parsed = useMemo(() => parseQuestion(text), [text])
  const query = useMemo(() => parsed ?? {}, [parsed])
  const change = useCallback(
    (label: string, next: WireQuery) => {
      const show = (one: WireQuery) => setParams({ query: textOf(one) })
      if (textOf(next) === textOf(query)) return
      show(next)
      undo.push({ label, undo: () => show(query), redo: () => show(next) })
    },
    [query, setParams, undo],
  )
  return { query, change, isMalformed: text !== '' && parsed === undefined }
}

/** Returns a question as an address contains it: compact JSON, or empty if the question is empty. */
export const textOf = (query: WireQuery): string =>
  Object.keys(query).length === 0 ? '' : JSON.stringify(query)
