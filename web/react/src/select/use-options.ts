import type { Query } from '@weft/client'
import { useEffect, useRef, useState } from 'react'
import { memberOf } from '../page/widget.ts'
import { type LiveQueryState, useQuery } from '../use-query.ts'

/** A record to choose, by the first value under the selector. */
export interface Option {
  readonly id: number
  readonly label: string
}

/** Where options come from. */
export interface Source {
  /** The type of the records. */
  readonly type: string
  /** The connection from a record to what it is called. */
  readonly selector: string
  /** The type of the values that are searched. Any, when left out. */
  readonly filterType?: string | undefined
  /** How many options there are at once: 10 unless said otherwise. */
  readonly inpage?: number | undefined
}

export interface Options {
  /** In the order of the query. While others are looked for, those that were found last. */
  readonly options: readonly Option[]
  readonly state: LiveQueryState<unknown>
}

/** The options that a text leads to, kept true while they are shown. All of them for the empty text. */
export function useOptions(source: Source, text: string): Options {
  const state = useQuery(queryOf(source, useLater(text)), { format: 'DATAID' })
  const last = useRef<readonly Option[]>([])
  const found = state.status === 'loading' ? undefined : state.data
  const options = found?.map((entry) => optionOf(entry, source)) ?? last.current
  useEffect(() => {
    last.current = options
  })
  return { options, state }
}

/** How long nobody has typed before it is searched, in milliseconds. */
const pause = 200

function useLater(text: string): string {
  const [later, setLater] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), pause)
    return () => clearTimeout(timer)
  }, [text])
  return later
}

function queryOf({ type, selector, filterType, inpage = 10 }: Source, text: string): Query {
  const query = { type, pageSize: inpage, hops: [{ connection: selector, name: 'selector' }] }
  if (text === '') return query
  const filter = { name: 'selector_filter', on: 'selector', op: 'like', search: text } as const
  return {
    ...query,
    filters: [filterType ? { ...filter, type: filterType } : filter],
    logic: '( selector_filter )',
  }
}

function optionOf(entry: unknown, { type, selector }: Source): Option {
  const record = memberOf(memberOf(entry, 'data'), type)
  const label = firstText(memberOf(record, selector) ?? record)
  const id = memberOf(entry, 'id') as number
  return { id, label: label ?? String(id) }
}

/** Records inside others say what they hold under `data`. */
function firstText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return undefined
  const inside = memberOf(value, 'data')
  if (inside !== undefined) return firstText(inside)
  for (const one of Object.values(value)) {
    const text = firstText(one)
    if (text !== undefined) return text
  }
  return undefined
}
