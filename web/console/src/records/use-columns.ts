import { useEffect, useState } from 'react'
import { errorText, request } from '../model/request.ts'
import type { ConsoleType } from '../model/types.ts'
import { type Column, columnsOf, type FoundType } from './columns.ts'

/** The number of newest records whose fields become columns. */
const sampledRecords = 200

/** The columns of a type. */
export type ColumnsState =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly columns: readonly Column[] }
  | { readonly status: 'error'; readonly error: string; readonly retry: () => void }

const cache = new Map<string, FoundType>()

/** Loads the columns of a type from the schema and from its newest records. */
export function useColumns(type: ConsoleType | undefined): ColumnsState {
  const [state, setState] = useState<ColumnsState & { readonly of?: string }>({ status: 'loading' })
  const name = type?.name
  const declared = type?.declared
  // The count is not a dependency: adding a record does not change the columns of a type.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (!type) return
    let isCurrent = true
    const known = cache.get(type.name)
    if (known) setState({ status: 'ready', columns: columnsOf(type, known), of: type.name })
    const load = () => {
      loadFound(type.name, type.count).then(
        (found) => {
          if (isCurrent)
            setState({ status: 'ready', columns: columnsOf(type, found), of: type.name })
        },
        (error) => {
          if (isCurrent && !known)
            setState({ status: 'error', error: errorText(error), retry: load, of: type.name })
        },
      )
    }
    load()
    return () => {
      isCurrent = false
    }
  }, [name, declared])
  return state.of === name ? state : { status: 'loading' }
}

/** Loads the fields and links of a type. A declared type may have no records yet. */
export async function loadFound(name: string, count: number): Promise<FoundType> {
  if (count === 0) return { fields: [], links: [] }
  const found = await request<FoundType>(
    `/api/v1/schema/found?type=${encodeURIComponent(name)}&records=${sampledRecords}`,
  )
  cache.set(name, found)
  return found
}
