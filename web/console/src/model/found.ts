import { useEffect, useSyncExternalStore } from 'react'
import { errorText, request } from './request.ts'

/** The fields and links of the newest records of a type, as returned by `GET /api/v1/schema/found`. */
export interface FoundType {
  readonly type: string
  /** Number of records that were read. */
  readonly records: number
  /** Whether these are all records of the type. */
  readonly all: boolean
  readonly fields: readonly FoundField[]
  readonly links: readonly FoundLink[]
}

/**
 * A field that records have: the number of records with the field, the number of its distinct values, and examples of the values.
 * `fields` are the fields of nested records.
 */
export interface FoundField {
  readonly name: string
  readonly kind: string
  readonly records: number
  readonly distinct: number
  readonly examples: readonly string[]
  readonly fields: readonly FoundField[]
}

/**
 * A link that records have: the number of records with the link, the number of distinct values at the other end, and examples of
 * the values.
 */
export interface FoundLink {
  readonly connection: string
  /** Whether the connections lead to the records of the type; otherwise they start there. */
  readonly reverse: boolean
  /** Types at the other end, most frequent first. */
  readonly types: readonly string[]
  readonly records: number
  /** The largest number of these connections that one record has. */
  readonly most: number
  /** The narrowest kind that fits all values at the other end; empty if the other ends are records. */
  readonly kind: string
  readonly distinct: number
  readonly examples: readonly string[]
}

/** The description of a type, or the state of loading it. */
export type Finding =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly found: FoundType }
  | { readonly status: 'error'; readonly message: string }

const loading: Finding = { status: 'loading' }
let findings: ReadonlyMap<string, Finding> = new Map()
const listeners = new Set<() => void>()

/** Returns the descriptions of types, and loads those that are missing. Each is loaded once, until `clearFound`. */
export function useFound(types: readonly string[]): (type: string) => Finding {
  const key = types.join(' ')
  const current = useSyncExternalStore(subscribe, () => findings)
  useEffect(() => {
    for (const type of key.split(' ')) if (type !== '' && !current.has(type)) void load(type)
  }, [key, current])
  return (type) => current.get(type) ?? loading
}

/** Removes all descriptions, for example after a change of the schema or of the user. */
export function clearFound(): void {
  set(new Map())
}

async function load(type: string): Promise<void> {
  put(type, loading)
  try {
    const found = await request<FoundType>(`/api/v1/schema/found?${new URLSearchParams({ type })}`)
    put(type, { status: 'ready', found })
  } catch (error) {
    put(type, { status: 'error', message: errorText(error) })
  }
}

const put = (type: string, finding: Finding): void => set(new Map([...findings, [type, finding]]))

function set(next: ReadonlyMap<string, Finding>): void {
  findings = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
