import type { Client } from '../api.ts'
import { readFields } from '../composition/read.ts'
import type { FieldValue } from '../composition/value.ts'
import type { Id } from '../graph/id.ts'
import { type Inside, insideOf } from '../inside.ts'
import type { LiveQuery } from '../live/state.ts'
import type { Filter, Format, Query } from '../query/query.ts'
import { orHere } from './ask.ts'
import { mapped, once } from './map.ts'
import { shaped } from './shape.ts'

/**
 * A record in a format, as the server has it with what waits here, or as it is here when the server does not
 * answer. LISTNORMAL is a list of one, RAW the ids that the record is made of. Undefined when nobody has it.
 */
export async function read<T = unknown>(
  client: Client,
  id: Id,
  { format = 'NORMAL' }: { readonly format?: Format } = {},
): Promise<T | undefined> {
  const { graph } = await brought(client, [id])
  if (!graph.concept(id)) return undefined
  if (asked.includes(format)) {
    const query = client.query<T>({ conceptIds: [id], selectors: ['self'] }, { format })
    return (await once(query)).data[0]
  }
  const found = shaped(graph, id, format)
  return (format === 'LISTNORMAL' ? [found] : found) as T
}

/** What only queries make. */
const asked: readonly Format[] = ['RAW', 'DATAV2']

/** A record without its type, or the texts of it, beside its id. */
export interface View {
  readonly data: FieldValue
  readonly id: Id
}

/** What is inside of records, in the order of their ids; what nobody has is left out. */
export async function view(client: Client, ids: readonly Id[]): Promise<View[]> {
  const { graph } = await brought(client, ids)
  return ids.flatMap((id) => {
    const composition = graph.concept(id)?.composition
    const data = composition ? readFields(graph, id) : (shaped(graph, id, 'JUSTDATA') as FieldValue)
    return data === undefined ? [] : { data, id }
  })
}

/** Fetches records, here or not. */
async function brought(client: Client, ids: readonly Id[]): Promise<Inside> {
  const inside = insideOf(client)
  await orHere((await inside.fetcher()).again(ids))
  inside.used?.(ids)
  return inside
}

export interface ListOptions extends Pick<Query, 'page' | 'pageSize' | 'order'> {
  /** As of `links`. */
  readonly format?: Format
  /** Only what belongs to that user, `client.user` for instance. */
  readonly user?: string | undefined
}

/** The records, or the values, of a type, live: one page of them, those made here and not yet there in front. */
export const list = <T = unknown>(
  client: Client,
  type: string,
  options: ListOptions = {},
): LiveQuery<T> => listed(client, type, options)

export interface SearchOptions extends ListOptions {
  /** The type of the values that are looked at: `the_name`. */
  readonly field?: string
}

/** The records of a type that hold a text, in letters of either case, live. `%` stands for anything. */
export function search<T = unknown>(
  client: Client,
  type: string,
  text: string,
  { field, ...options }: SearchOptions = {},
): LiveQuery<T> {
  const on = { name: 'text', on: 'inside', op: 'like', search: text } as const
  return listed(client, type, options, [{ ...on, ...(field && { type: field }) }])
}

function listed<T>(
  client: Client,
  type: string,
  { format = 'DATAID', user, ...options }: ListOptions,
  texts: readonly Filter[] = [],
): LiveQuery<T> {
  const { graph } = insideOf(client)
  const filters = [...texts, ...(user ? [{ name: 'mine', type: 'user_id', search: user }] : [])]
  const whole: Query = {
    type,
    selectors: ['self'],
    ...options,
    ...(texts.length > 0 && { hops: [{ connection: 'self', name: 'inside' }] }),
    ...(filters.length > 0 && { filters, logic: filters.map(({ name }) => name).join(' AND ') }),
  }
  if (format === 'DATAV2') return client.query<T>(whole, { format })
  const found = client.query<{ id: Id }>(whole)
  return mapped(found, (rows, total) => ({
    data: rows.flatMap((row) => shaped(graph, row.id, format) ?? []) as T[],
    ...(total !== undefined && { total }),
  }))
}
