import type { Id } from '@weft/client'
import type { Query, Shape } from '@weft/client/internal'
import { readShape } from './compositions.ts'
import { anonymousUser } from './model/constants.ts'
import { fetchAnswer } from './schema-query.ts'
import { currentInternals } from './start.ts'

/*
 * Lists of the compositions of a type and a user, oldest first. Records of the shared user (999) are in the list of
 * every user.
 */

export interface ListPage {
  readonly inpage?: number
  readonly page?: number
}

/** Returns the query for one page of the compositions of a user. */
export function listQuery(
  type: string,
  userId: number,
  { inpage = 10, page = 1 }: ListPage,
): Query {
  const owners = [userId, ...(userId === anonymousUser ? [] : [anonymousUser])]
  const filters = owners.map((id, i) => ({ name: `o${i}`, type: 'user_id', search: String(id) }))
  return {
    type,
    selectors: ['self'],
    order: 'ASC',
    page,
    pageSize: inpage,
    filters,
    logic: filters.map(({ name }) => name).join(' OR '),
  }
}

async function readList(
  type: string,
  userId: number,
  page: ListPage,
  shape: Shape,
): Promise<any[]> {
  const { compositionIds } = await fetchAnswer(listQuery(type, userId, page))
  return compositionIds.map((id) => readShape(id, shape))
}

export const GetCompositionList = (
  compositionName: string,
  userId: number,
  inpage = 10,
  page = 1,
): Promise<any> => readList(compositionName, userId, { inpage, page }, 'plain')

export const GetCompositionListAll = (
  compositionName: string,
  userId: number,
  inpage = 10,
  page = 1,
): Promise<any> => readList(compositionName, userId, { inpage, page }, 'plain')

export const GetCompositionListWithId = (
  compositionName: string,
  userId: number,
  inpage = 10,
  page = 1,
): Promise<any> => readList(compositionName, userId, { inpage, page }, 'listed')

export const GetCompositionListWithIdUpdated = (
  compositionName: string,
  userId: number,
  inpage = 10,
  page = 1,
): Promise<any> => readList(compositionName, userId, { inpage, page }, 'listed')

export const GetCompositionListAllWithId = (
  compositionName: string,
  userId: number,
  inpage = 10,
  page = 1,
): Promise<any> => readList(compositionName, userId, { inpage, page }, 'listed')

/** Lists the compositions of a user that this page has loaded. */
function readLocalList(type: string, userId: number, shape: Shape): any[] {
  const { graph } = currentInternals()
  const owners = new Set<Id>([userId, anonymousUser])
  const typeId = graph.type(type)
  const all = typeId === undefined ? [] : graph.instances(typeId)
  const mine = all.filter((id) => owners.has(graph.concept(id)?.owner ?? 0))
  return mine.map((id) => readShape(id, shape))
}

export const GetCompositionListLocal = async (
  compositionName: string,
  userId: number,
): Promise<any> => readLocalList(compositionName, userId, 'plain')

export const GetCompositionListLocalWithId = async (
  compositionName: string,
  userId: number,
): Promise<any> => readLocalList(compositionName, userId, 'withId')
