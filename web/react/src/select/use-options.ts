import type { Query } from '@weft/client'
import { useEffect, useRef, useState } from 'react'
import { memberOf } from '../stored/json.ts'
import { type LiveQueryState, useQuery } from '../use-query.ts'

/**
 * A record that can be chosen. Its label is the first value under the selector or, without a selector, the first value
 * of the record. Without a value, the label is the id.
 */
export interface Option {
  readonly id: number
  readonly label: string
}

/** The records that are offered. */
export interface OptionSource {
  /** Type of the records. */
  readonly type: string
  /** Type of the connection from a record to its label. */
  readonly selector: string
  /** Type of the values to search. Default: any type. */
  readonly filterType?: string | undefined
  /** Maximum number of options. Default: 10. */
  readonly pageSize?: number | undefined
}

export interface Options {
  /** The options, in the order of the query. While the next search loads, the options of the previous search remain. */
  readonly options: readonly Option[]
  readonly state: LiveQueryState<unknown>
}

/**
 * Returns the records that match a search text by their label, and keeps them up to date. An empty text matches all
 * records.
 */
export function useOptions(source: OptionSource, text: string): Options {
  const searchText = useDebounced(text)
  const state = useQuery(queryFor(source, searchText), { format: 'DATAID' })
  const previousOptions = useRef<readonly Option[]>([])
  const entries = state.status === 'loading' ? undefined : state.data
  const options = entries?.map((entry) => optionOf(entry, source)) ?? previousOptions.current
  useEffect(() => {
    previousOptions.current = options
  })
  return { options, state }
}

/** After this time without a key press, the text is searched, in milliseconds. */
const searchDelay = 200

function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), searchDelay)
    return () => clearTimeout(timer)
  }, [text])
  return debounced
}

function queryFor(
  { type, selector, filterType, pageSize = 10 }: OptionSource,
  text: string,
): Query {
  const query = { type, pageSize, hops: [{ connection: selector, name: 'selector' }] }
  if (text === '') return query
  const filter = { name: 'selector_filter', on: 'selector', op: 'like', search: text } as const
  return {
    ...query,
    filters: [filterType ? { ...filter, type: filterType } : filter],
    logic: '( selector_filter )',
  }
}

function optionOf(entry: unknown, { type, selector }: OptionSource): Option {
  const record = memberOf(memberOf(entry, 'data'), type)
  const label = firstText(memberOf(record, selector) ?? record)
  const id = memberOf(entry, 'id') as number
  return { id, label: label ?? String(id) }
}

/** Returns the first string in nested data. Nested records keep their content under `data`. */
function firstText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return undefined
  const nested = memberOf(value, 'data')
  if (nested !== undefined) return firstText(nested)
  for (const member of Object.values(value)) {
    const text = firstText(member)
    if (text !== undefined) return text
  }
  return undefined
}
