import { createClient, type Query, type WeftError } from '@weft/client'

/** The client of the applications that only show public records. Stores nothing in the browser. */
export const weft = createClient({
  url: location.origin,
  application: 'site',
  servers: [],
  storage: 'memory',
})

/** One record of a result. `data` has one key, the type of the record; its value holds the connected records, by connection. */
export interface ResultRecord {
  readonly id: number
  readonly data: Readonly<Record<string, unknown>>
}

export interface QueryResult {
  readonly records: readonly ResultRecord[]
  /** The number of matching records on all pages. */
  readonly total: number
}

/** Runs a query once. Rejects with a WeftError when the server cannot be reached or rejects the query. */
export function fetchQuery(query: Query): Promise<QueryResult> {
  const live = weft.query<ResultRecord>(query)
  return new Promise((resolve, reject: (error: WeftError) => void) => {
    const checkState = () => {
      const state = live.get()
      if (state.status === 'loading' || (state.status === 'ready' && !state.complete)) return
      unsubscribe()
      if (state.status === 'error') reject(state.error)
      else resolve({ records: state.data, total: state.total ?? state.data.length })
    }
    const unsubscribe = live.subscribe(checkState)
    checkState()
  })
}

/** Returns the records to which a connection of `record` leads; empty if there are none, or if `record` is a value. */
export function connectedRecords(
  record: ResultRecord,
  connection: string,
): readonly ResultRecord[] {
  const fields = record.data[Object.keys(record.data)[0] ?? '']
  if (typeof fields !== 'object' || fields === null) return []
  const target = (fields as Record<string, ResultRecord | readonly ResultRecord[] | undefined>)[
    connection
  ]
  if (target === undefined) return []
  return Array.isArray(target) ? target : [target as ResultRecord]
}

/** Returns the value of a concept from an earlier result; empty if the record is undefined or has no value. */
export const textOf = (record: ResultRecord | undefined): string =>
  record === undefined ? '' : (weft.concept(record.id)?.value ?? '')
