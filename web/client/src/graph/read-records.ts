import type { Client } from '../api.ts'
import { readFields } from '../composition/read.ts'
import type { FieldValue } from '../composition/value.ts'
import { type Internals, internalsOf } from '../internals.ts'
import type { LiveQuery } from '../live/state.ts'
import { anonymous } from '../model/fixed.ts'
import type { Id } from '../model/id.ts'
import type { Filter, Format, Query } from '../query/query.ts'
import { mapLiveQuery, readOnce } from './mapped-query.ts'
import { formatRecord } from './record-format.ts'
import { orLocal } from './server-requests.ts'

/**
 * Reads a record in a format: the server's version with pending writes applied, or the local version while the server
 * is unavailable. LISTNORMAL returns a list with one element, RAW the ids of the record. Undefined if the record does
 * not exist.
 */
export async function readRecord<T = unknown>(
  client: Client,
  id: Id,
  { format = 'NORMAL' }: { readonly format?: Format } = {},
): Promise<T | undefined> {
  const { graph } = await fetchRecords(client, [id])
  if (!graph.concept(id)) return undefined
  if (queryFormats.includes(format)) {
    const query = client.query<T>({ conceptIds: [id], selectors: ['self'] }, { format })
    return (await readOnce(query)).data[0]
  }
  const found = formatRecord(graph, id, format)
  return (format === 'LISTNORMAL' ? [found] : found) as T
}

/** Formats that only queries produce. */
const queryFormats: readonly Format[] = ['RAW', 'DATAV2']

/** The content of a record, without its type, and its id. */
export interface RecordView {
  readonly data: FieldValue
  readonly id: Id
}

/** Reads the content of records, in the order of `ids`. Records that do not exist are left out. */
export async function readRecords(client: Client, ids: readonly Id[]): Promise<RecordView[]> {
  const { graph } = await fetchRecords(client, ids)
  return ids.flatMap((id) => {
    const composition = graph.concept(id)?.composition
    const data = composition
      ? readFields(graph, id)
      : (formatRecord(graph, id, 'JUSTDATA') as FieldValue)
    return data === undefined ? [] : { data, id }
  })
}

/** Fetches records, even if they are loaded. */
async function fetchRecords(client: Client, ids: readonly Id[]): Promise<Internals> {
  const internals = internalsOf(client)
  await orLocal((await internals.fetcher()).refetch(ids))
  internals.onUse?.(ids)
  return internals
}

export interface ListOptions extends Pick<Query, 'page' | 'pageSize' | 'order'> {
  /** Format of the rows, as in `listLinks`. */
  readonly format?: Format
  /** Lists only records of this user, such as `client.user`, and shared records (owner 999). */
  readonly user?: string | undefined
  /** Together with `user`: leaves out shared records. */
  readonly onlyOwn?: boolean
}

/** Returns a live query for one page of the records or values of a type, with pending creations first. */
export const listRecords = <T = unknown>(
  client: Client,
  type: string,
  options: ListOptions = {},
): LiveQuery<T> => queryRecords(client, type, options)

export interface SearchOptions extends ListOptions {
  /** Type of the values to search: `the_name`. Default: all. */
  readonly field?: string
}

/**
 * Returns a live query for the records of a type with a value that contains the search text. Ignores case; `%` matches
 * any characters.
 */
export function searchRecords<T = unknown>(
  client: Client,
  type: string,
  text: string,
  { field, ...options }: SearchOptions = {},
): LiveQuery<T> {
  const textFilter = { name: 'text', on: 'inside', op: 'like', search: text } as const
  return queryRecords(client, type, options, [{ ...textFilter, ...(field && { type: field }) }])
}

function queryRecords<T>(
  client: Client,
  type: string,
  { format = 'DATAID', user, onlyOwn = false, ...options }: ListOptions,
  texts: readonly Filter[] = [],
): LiveQuery<T> {
  const { graph } = internalsOf(client)
  const owners = user ? [...new Set(onlyOwn ? [user] : [user, String(anonymous)])] : []
  const owned = owners.map((owner) => ({ name: `of${owner}`, type: 'user_id', search: owner }))
  const filters = [...texts, ...owned]
  const logic = [
    ...texts.map(({ name }) => name),
    ...(owned.length > 0 ? [`(${owned.map(({ name }) => name).join(' OR ')})`] : []),
  ]
  const query: Query = {
    type,
    selectors: ['self'],
    ...options,
    ...(texts.length > 0 && { hops: [{ connection: 'self', name: 'inside' }] }),
    ...(filters.length > 0 && { filters, logic: logic.join(' AND ') }),
  }
  if (format === 'DATAV2') return client.query<T>(query, { format })
  const found = client.query<{ id: Id }>(query)
  return mapLiveQuery(found, (rows, total) => ({
    data: rows.flatMap((row) => formatRecord(graph, row.id, format) ?? []) as T[],
    ...(total !== undefined && { total }),
  }))
}
