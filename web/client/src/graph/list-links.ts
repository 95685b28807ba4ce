import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import type { LiveQuery } from '../live/state.ts'
import type { Id } from '../model/id.ts'
import type { Format, Query } from '../query/query.ts'
import { typeNameOf } from './create-link.ts'
import { mapLiveQuery, readOnce } from './mapped-query.ts'
import { formatRecord } from './record-format.ts'
import { legacyRelation, linkRelation } from './type-names.ts'

export interface LinksOptions {
  /** Follows the links from their target to their source. The relation must be a full name. */
  readonly reverse?: boolean
  /** Default: 1. */
  readonly page?: number
  /** Default: 10. */
  readonly pageSize?: number
  /** Order by age of the link. Default: `DESC`, newest first. */
  readonly order?: 'ASC' | 'DESC'
  /** Lists links of `linkLegacy`: the relation is `friend_s`, or `friend_by`. */
  readonly legacy?: boolean
  /**
   * Form of a row: JUSTDATA returns the record, RAW its id, ALLID the record with nested ids, DATAV2 the row of a
   * query. All other formats return `{created_at, data, id}`.
   */
  readonly format?: Format
}

/**
 * Returns a live query for one page of the records that a relation leads to. Throws `notFound` for a short relation if the source is
 * not loaded.
 *
 * @param relation full name, such as `the_person_friend`, or the part after the source's type: `friend`
 */
export function listLinks<T = unknown>(
  client: Client,
  id: Id,
  relation: string,
  options: LinksOptions = {},
): LiveQuery<T> {
  const { graph } = internalsOf(client)
  const { format = 'DATAID', reverse = false } = options
  const name = relationName(client, id, relation, options)
  const { order = 'DESC', page = 1, pageSize = 10 } = options
  const hops = [pagedHop(name, { ...options, order })]
  const query = client.query<Root>({ conceptIds: [id], hops, order }, withLinkIds)
  const shape = linkFormats.includes(format) ? format : 'DATAID'
  const key = reverse ? `${name}_reverse` : name
  return mapLiveQuery(query, ([root]) => {
    // The linked records are under the type of the root, and the count is next to it.
    const [content, count] = Object.values(root?.data ?? {})
    // Pending links are added to a page that is already full.
    const rows = ((content as Content | undefined)?.[key] ?? []).slice(0, pageSize)
    const records = rows.map((row) =>
      format === 'DATAV2' ? row : formatRecord(graph, row.id, shape),
    )
    const data = records.filter((row) => row !== undefined) as T[]
    const minTotal = data.length && data.length + (page - 1) * pageSize
    return { data, total: Math.max(minTotal, typeof count === 'number' ? count : 0) }
  })
}

/** Reads one page of the records that a relation leads to. Takes the arguments of `listLinks`. */
export const readLinks = async <T = unknown>(
  client: Client,
  id: Id,
  relation: string,
  options: LinksOptions = {},
): Promise<readonly T[]> => (await readOnce(listLinks<T>(client, id, relation, options))).data

/** Counts all links of a relation at a concept. */
export async function countLinks(
  client: Client,
  id: Id,
  relation: string,
  options: Pick<LinksOptions, 'reverse' | 'legacy'> = {},
): Promise<number> {
  const name = relationName(client, id, relation, options)
  const countHop = { ...linkHop(name, options), aggregate: 'count' } as const
  const query = client.query<Root>({ conceptIds: [id], hops: [countHop] }, withLinkIds)
  const [root] = (await readOnce(query)).data
  return Object.values(root?.data ?? {}).find((n) => typeof n === 'number') ?? 0
}

/** Reads the number of links that `linkLegacy` stored at a concept; 0 if it stored none. */
export async function readLinkCount(client: Client, id: Id, linker: string): Promise<number> {
  const [row] = await readLinks<{ the_count?: string }>(client, id, `${linker}_count`, {
    legacy: true,
    format: 'JUSTDATA',
  })
  return Number(row?.the_count ?? 0)
}

const linkFormats: readonly Format[] = ['JUSTDATA', 'ALLID', 'RAW']

/** In this format every link has its id, even a single one. */
const withLinkIds = { format: 'DATAV2' } as const

type Content = Readonly<Record<string, readonly { readonly id: Id }[]>>

interface Root {
  readonly data: Readonly<Record<string, Content | number>>
}

const pagedHop = (connection: string, options: LinksOptions): Query => {
  const { page = 1, pageSize = 10, order = 'DESC' } = options
  const paged = { page, pageSize, order, limit: true, selectors: ['self'] }
  return { ...linkHop(connection, options), ...paged }
}

const linkHop = (connection: string, { reverse, legacy }: LinksOptions): Query => ({
  connection,
  ...(reverse && { reverse }),
  ...(legacy && { legacy }),
})

function relationName(client: Client, id: Id, relation: string, { legacy }: LinksOptions): string {
  const source = relation.startsWith('the_') ? '' : typeNameOf(internalsOf(client), id)
  return legacy ? legacyRelation(source, relation) : linkRelation(source, relation)
}
