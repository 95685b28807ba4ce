import type { Client } from '../api.ts'
import type { Id } from '../graph/id.ts'
import { insideOf } from '../inside.ts'
import type { LiveQuery } from '../live/state.ts'
import type { Format, Query } from '../query/query.ts'
import { typeAt } from './link.ts'
import { mapped, once } from './map.ts'
import { linkerName, linkName } from './name.ts'
import { shaped } from './shape.ts'

export interface LinksOptions {
  /** From the targets to their source. The relation is then a whole name. */
  readonly reverse?: boolean
  /** 1 when left out. */
  readonly page?: number
  /** 10 when left out. */
  readonly pageSize?: number
  /** `DESC`, the newest link first, when left out. */
  readonly order?: 'ASC' | 'DESC'
  /** Made by `linkFormerly`: the relation is `friend_s`, or `friend_by`. */
  readonly legacy?: boolean
  /** JUSTDATA is the record alone, RAW its id, ALLID has ids in every record; DATAV2 as in a query; all others say `{created_at, data, id}`. */
  readonly format?: Format
}

/**
 * The records that a relation leads to, live: one page of them. The relation is the whole name of the type of
 * the links, `the_person_friend`, or what stands behind the name of the source's type, for which that must be here.
 */
export function links<T = unknown>(
  client: Client,
  id: Id,
  relation: string,
  options: LinksOptions = {},
): LiveQuery<T> {
  const { graph } = insideOf(client)
  const { format = 'DATAID', reverse = false } = options
  const name = nameOf(client, id, relation, options)
  const { order = 'DESC', page = 1, pageSize = 10 } = options
  const hops = [hop(name, { ...options, order })]
  const query = client.query<Root>({ conceptIds: [id], hops, order }, everyLink)
  const shape = plain.includes(format) ? format : 'DATAID'
  const key = reverse ? `${name}_reverse` : name
  return mapped(query, ([root]) => {
    // What a root leads to stands under its type, and the counts beside that.
    const [content, count] = Object.values(root?.data ?? {})
    // What waits comes beside a page that is full without it.
    const found = ((content as Content | undefined)?.[key] ?? []).slice(0, pageSize)
    const each = found.map((row) => (format === 'DATAV2' ? row : shaped(graph, row.id, shape)))
    const data = each.filter((row) => row !== undefined) as T[]
    const least = data.length && data.length + (page - 1) * pageSize
    return { data, total: Math.max(least, typeof count === 'number' ? count : 0) }
  })
}

/** As links, once. */
export const relation = async <T = unknown>(
  client: Client,
  id: Id,
  relation: string,
  options: LinksOptions = {},
): Promise<readonly T[]> => (await once(links<T>(client, id, relation, options))).data

/** How many links of a relation a concept has, on whatever page. */
export async function countLinks(
  client: Client,
  id: Id,
  relation: string,
  options: Pick<LinksOptions, 'reverse' | 'legacy'> = {},
): Promise<number> {
  const name = nameOf(client, id, relation, options)
  const counted = { ...way(name, options), aggregate: 'count' } as const
  const query = client.query<Root>({ conceptIds: [id], hops: [counted] }, everyLink)
  const [root] = (await once(query)).data
  return Object.values(root?.data ?? {}).find((n) => typeof n === 'number') ?? 0
}

/** The number that `linkFormerly` keeps beside a concept. 0 where it keeps none. */
export async function keptCount(client: Client, id: Id, linker: string): Promise<number> {
  const [row] = await relation<{ the_count?: string }>(client, id, `${linker}_count`, {
    legacy: true,
    format: 'JUSTDATA',
  })
  return Number(row?.the_count ?? 0)
}

const plain: readonly Format[] = ['JUSTDATA', 'ALLID', 'RAW']

/** Every link has its id there, whether its name says that there are many or not. */
const everyLink = { format: 'DATAV2' } as const

type Content = Readonly<Record<string, readonly { readonly id: Id }[]>>

interface Root {
  readonly data: Readonly<Record<string, Content | number>>
}

const hop = (connection: string, options: LinksOptions): Query => {
  const { page = 1, pageSize = 10, order = 'DESC' } = options
  const paged = { page, pageSize, order, limit: true, selectors: ['self'] }
  return { ...way(connection, options), ...paged }
}

const way = (connection: string, { reverse, legacy }: LinksOptions): Query => ({
  connection,
  ...(reverse && { reverse }),
  ...(legacy && { legacy }),
})

function nameOf(client: Client, id: Id, relation: string, { legacy }: LinksOptions): string {
  const source = relation.startsWith('the_') ? '' : typeAt(insideOf(client), id)
  return legacy ? linkerName(source, relation) : linkName(source, relation)
}
