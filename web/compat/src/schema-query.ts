import type { Id, LiveQuery, QueryState } from '@weft/client'
import { type Answer, type Query, shapeAnswer } from '@weft/client/internal'
import { orThrow, toFreeschemaError } from './errors.ts'
import { DATAID, DATAV2, JUSTDATA, RAW } from './model/constants.ts'
import type { FilterSearch, FreeschemaQuery } from './model/queries.ts'
import { realReader } from './records.ts'
import { currentClient, currentInternals } from './start.ts'

/*
 * Schema queries. The query of the wire contract is translated to one of the client, which is answered in ids. The
 * answer is formatted here, so that results have the server's ids.
 */

/** The ids of an answer in the client's format RAW. */
export interface RawAnswer {
  readonly linkers: readonly Id[]
  readonly conceptIds: readonly Id[]
  readonly compositionIds: readonly Id[]
  readonly reverse: readonly Id[]
  readonly countInfos: readonly {
    readonly conceptId: Id
    readonly connectionTypeId: Id
    readonly connectionType: string
    readonly count: number
  }[]
  readonly order: string
}

const noAnswer: RawAnswer = {
  linkers: [],
  conceptIds: [],
  compositionIds: [],
  reverse: [],
  countInfos: [],
  order: 'DESC',
}

/** Translates a query. Members with their default value are left out. */
export function toQuery(query: Partial<FreeschemaQuery>): Query {
  return { ...toNode(query), ...toRoot(query) }
}

function toRoot({ type, conceptIds, filters, filterLogic }: Partial<FreeschemaQuery>): Query {
  return {
    ...(type && { type }),
    ...(conceptIds?.length && { conceptIds }),
    ...(filters?.length && { filters: filters.map(toFilter) }),
    ...(filterLogic && { logic: filterLogic }),
  }
}

function toNode(query: Partial<FreeschemaQuery>): Query {
  const { typeConnection, reverse, isOldConnectionType, selectors, freeschemaQueries } = query
  const { limit, name, filterAncestor, includeInFilter, order, page, inpage } = query
  return {
    ...(typeConnection && { connection: typeConnection }),
    ...(reverse && { reverse }),
    ...(isOldConnectionType && { legacy: true }),
    ...(selectors?.length && { selectors }),
    ...(freeschemaQueries?.length && { hops: freeschemaQueries.map(toNode) }),
    order: order === 'ASC' ? 'ASC' : 'DESC',
    page: Math.max(1, Number(page) || 1),
    pageSize: Number(inpage) || 10,
    ...(limit && { limit }),
    ...(name && { name }),
    ...(filterAncestor && { ancestor: filterAncestor }),
    ...(includeInFilter && { include: true }),
  }
}

type Filter = NonNullable<Query['filters']>[number]

const toFilter = (filter: Partial<FilterSearch>): Filter => ({
  name: filter.name ?? '',
  op: (filter.logicoperator || '=') as NonNullable<Filter['op']>,
  search: String(filter.search ?? ''),
  ...(filter.type && { type: filter.type }),
  ...(filter.operateon && { on: filter.operateon }),
})

/** Opens a live query. Its only row is the answer in ids. */
export const openQuery = (query: Query): LiveQuery<RawAnswer> =>
  currentClient().query<RawAnswer>(query, { format: 'RAW' })

/** Returns the answer of a state; an empty answer while there is none. Throws the error of the query. */
export function answerOf(state: QueryState<RawAnswer>): RawAnswer {
  if (state.status === 'error') throw toFreeschemaError(state.error, '/api/freeschema-query')
  return (state.status === 'ready' && state.data[0]) || noAnswer
}

/** Asks the server once. While the server is unreachable, answers from the records of this page. */
export async function fetchAnswer(query: Query): Promise<RawAnswer> {
  const live = openQuery(query)
  await orThrow(live.refresh())
  return answerOf(live.get())
}

/** Formats an answer in one of the formats of the wire contract; unknown formats mean NORMAL. */
export function formatAnswer(answer: RawAnswer, format: number): any {
  const real = realAnswer(answer)
  if (format === RAW) return real
  const name = format === DATAID ? 'DATAID' : format === JUSTDATA ? 'JUSTDATA' : undefined
  const { graph } = currentInternals()
  const parts: Answer = {
    roots: real.compositionIds,
    links: real.linkers,
    reverse: real.reverse,
    counts: real.countInfos.map(({ conceptId, connectionTypeId, count }) => ({
      of: conceptId,
      type: connectionTypeId,
      n: count,
    })),
    total: real.compositionIds.length,
    order: real.order === 'ASC' ? 'ASC' : 'DESC',
  }
  return shapeAnswer(realReader(graph), parts, name ?? (format === DATAV2 ? 'DATAV2' : 'NORMAL'))
}

/** Returns an answer with real ids for the records that have them. */
export function realAnswer(answer: RawAnswer): RawAnswer {
  const { graph } = currentInternals()
  const concepts = (ids: readonly Id[]) => ids.map((id) => graph.real(id))
  const connections = (ids: readonly Id[]) => ids.map((id) => graph.realConnection(id))
  return {
    linkers: connections(answer.linkers),
    conceptIds: concepts(answer.conceptIds),
    compositionIds: concepts(answer.compositionIds),
    reverse: connections(answer.reverse),
    countInfos: answer.countInfos.map((info) => ({
      ...info,
      conceptId: graph.real(info.conceptId),
    })),
    order: answer.order,
  }
}

/** Runs a query once and returns its formatted result. */
export const SchemaQuery = async (query: FreeschemaQuery, _token: string): Promise<any> =>
  formatAnswer(await fetchAnswer(toQuery(query)), query.outputFormat)

/** Runs a query once and returns the ids of its answer in the server's format. */
export async function FreeschemaQueryApi(query: FreeschemaQuery, _token = ''): Promise<any> {
  const live = openQuery(toQuery(query))
  await orThrow(live.refresh())
  const state = live.get()
  const { linkers, conceptIds, compositionIds, reverse, countInfos } = realAnswer(answerOf(state))
  const total = state.status === 'ready' ? state.total : undefined
  return {
    conceptIds,
    internalConnections: [],
    linkers,
    reverse,
    mainCompositionIds: compositionIds,
    mainCount: total ?? compositionIds.length,
    countinfo: countInfos.map((c) => `${c.conceptId}_${c.connectionTypeId}_${c.count}`),
  }
}
