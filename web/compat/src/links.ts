import type { Id, LiveQuery } from '@weft/client'
import { listLinks } from '@weft/client/graph'
import type { Shape } from '@weft/client/internal'
import { readShape } from './compositions.ts'
import { orFallback, orThrow } from './errors.ts'
import type { Concept } from './model/concept.ts'
import { DATAID, JUSTDATA } from './model/constants.ts'
import { FreeschemaQuery } from './model/queries.ts'
import { conceptOf } from './records.ts'
import { SchemaQuery } from './schema-query.ts'
import { currentClient, currentInternals } from './start.ts'

/*
 * Linked records, newest link first. `GetLink` follows legacy links, given the short name of the linker, such as
 * `friend_s`. `GetRelation` follows type links, given the full name of the type.
 */

export interface LinkPage {
  readonly inpage?: number
  readonly page?: number
  readonly reverse?: boolean
  readonly legacy?: boolean
}

/** Opens a live list of linked ids. The source is loaded first, because its type is part of the name of a legacy linker. */
export async function openLinks(id: Id, relation: string, page: LinkPage): Promise<LiveQuery<Id>> {
  const { inpage: pageSize = 10, reverse = false, legacy = false } = page
  await orFallback(currentClient().get(id), undefined)
  const options = { page: page.page ?? 1, pageSize, reverse, legacy, format: 'RAW' } as const
  return listLinks<Id>(currentClient(), id, relation, options)
}

/** Reads one page of linked ids. A source that does not exist has no links. */
async function linkedIds(id: Id, relation: string, page: LinkPage): Promise<readonly Id[]> {
  const { graph } = currentInternals()
  await orFallback(currentClient().get(id), undefined)
  if (!graph.concept(id)) return []
  const live = await openLinks(id, relation, page)
  await orThrow(live.refresh())
  const state = live.get()
  if (state.status === 'error') await orThrow(Promise.reject(state.error))
  return state.status === 'ready' ? state.data : []
}

const readLinked = async (id: Id, relation: string, page: LinkPage, shape: Shape) =>
  (await linkedIds(id, relation, page)).map((linked) => readShape(linked, shape))

export const GetLink = (id: number, linker: string, inpage = 10, page = 1): Promise<any> =>
  readLinked(id, linker, { inpage, page, legacy: true }, 'listed')

export async function GetLinkRaw(
  id: number,
  linker: string,
  inpage = 10,
  page = 1,
): Promise<Concept[]> {
  const ids = await linkedIds(id, linker, { inpage, page, legacy: true })
  return ids.map((linked) => conceptOf(linked))
}

export const GetRelation = (
  id: number,
  relation: string,
  inpage = 10,
  page = 1,
  reverse = false,
): Promise<any> => readLinked(id, relation, { inpage, page, reverse }, 'listed')

export async function GetRelationRaw(
  id: number,
  relation: string,
  inpage = 10,
  page = 1,
  reverse = false,
): Promise<any> {
  const ids = await linkedIds(id, relation, { inpage, page, reverse })
  return ids.map((linked) => conceptOf(linked))
}

/** Reads linked records from those that this page has loaded. */
export async function GetRelationLocal(
  id: number,
  relation: string,
  _userId: number,
): Promise<any> {
  const { graph } = currentInternals()
  const type = graph.type(relation)
  const links = type === undefined ? [] : graph.out(id, type)
  return links.toReversed().map((link) => readShape(link.to, 'listed'))
}

/** Queries a concept with one of its relations, in the format DATAID. */
export async function GetRelationNew(
  id: number,
  relation: string,
  inpage = 10,
  page = 1,
  reverse = false,
): Promise<any> {
  const query = new FreeschemaQuery()
  Object.assign(query, { conceptIds: [id], inpage, page, outputFormat: DATAID })
  if (!reverse) query.selectors = [relation]
  else
    query.freeschemaQueries = [
      Object.assign(new FreeschemaQuery(), { typeConnection: relation, reverse, inpage: 100 }),
    ]
  return SchemaQuery(query, '')
}

/** Returns the shape of linked records for a format of the link listeners. */
export const linkShape = (format: number): Shape => (format === JUSTDATA ? 'plain' : 'listed')
