import type { Id } from '@weft/client'
import { requestAsUser } from '@weft/client/internal'
import { readFormat, readWithLinks } from './attached-links.ts'
import { readAll, readShape } from './compositions.ts'
import { orFallback, orThrow } from './errors.ts'
import { DATAID, LISTNORMAL, RAW } from './model/constants.ts'
import { SearchQuery, type SearchStructure } from './model/queries.ts'
import { currentClient, currentInternals } from './start.ts'

/*
 * Searches. The server answers with ids; the records are fetched and formatted here. A search needs the server: while
 * it is unreachable, calls reject with the status 500.
 *
 *   SearchLinkMultiple…      follows linkers from a composition, one query for each hop
 *   SearchWithTypeAndLinker  finds compositions by their text, and follows linkers from them
 *   RecursiveSearch…         finds the compositions that contain a value with the text
 *   SearchAllConcepts        finds compositions by their text
 */

/** The ids that a search returns. Lists that an endpoint does not return are empty. */
export interface SearchIds {
  readonly compositionIds: readonly Id[]
  readonly internalConnections: readonly Id[]
  readonly externalConnections: readonly Id[]
  readonly linkers: readonly Id[]
  readonly reverse: readonly Id[]
  readonly mainCompositionIds: readonly Id[]
}

/** Posts a search and returns its ids. */
export async function postSearch(path: string, body: unknown): Promise<SearchIds> {
  const response: any = await orThrow(requestAsUser(currentInternals(), path, body))
  const ids = (key: string) => (Array.isArray(response?.[key]) ? response[key] : [])
  return {
    compositionIds: ids('compositionIds'),
    internalConnections: ids('internalConnections'),
    externalConnections: ids('externalConnections'),
    linkers: ids('linkers'),
    reverse: ids('reverse'),
    mainCompositionIds: ids('mainCompositionIds'),
  }
}

/** Fetches all records of a search, and everything inside its compositions. */
export async function fetchFound(ids: SearchIds): Promise<void> {
  const { compositionIds, internalConnections, externalConnections, linkers } = ids
  const { fetcher } = currentInternals()
  const loader = await fetcher()
  const links = [...internalConnections, ...externalConnections, ...linkers]
  await orThrow(Promise.all([loader.fetchConnections(links), loader.fetchConcepts(compositionIds)]))
}

export const multiplePath = '/api/Connection/search-link-multiple-all-ccs'
const recursivePath = '/api/recursivesearch-concept-connection'

/** Fills in the default members of queries, and replaces local ids by real ids. */
export const completeQueries = (queries: readonly Partial<SearchQuery>[]): SearchQuery[] => {
  const { graph } = currentInternals()
  const real = (id: number | undefined) => (id ? graph.real(id) : 0)
  return queries.map((query) =>
    Object.assign(new SearchQuery(), query, {
      composition: real(query.composition),
      ofCompositions: (query.ofCompositions ?? []).map(real),
    }),
  )
}

/** Formats a search along linkers: its first composition, or a list of compositions for LISTNORMAL. */
export function formatMultiple(
  ids: SearchIds,
  [first]: readonly Partial<SearchQuery>[],
  format: number,
): any {
  if (format === RAW) return ids
  const { graph } = currentInternals()
  const records = readWithLinks(ids, format)
  if (format === LISTNORMAL)
    return (first?.ofCompositions ?? []).flatMap((id) => records.get(graph.real(id)) ?? [])
  const main = graph.real(first?.composition ?? 0)
  return records.get(main) ?? readFormat(main, format)
}

/** Follows linkers from the composition of the first query. */
export async function SearchLinkMultipleAll(
  searchQuery: SearchQuery[],
  _token = '',
  _caller: any = null,
  format: number = DATAID,
): Promise<any> {
  const ids = await postSearch(multiplePath, completeQueries(searchQuery))
  await fetchFound(ids)
  return formatMultiple(ids, searchQuery, format)
}

/** Follows linkers and returns the server's answer unchanged. */
export const SearchLinkMultipleApi = (searchQuery: SearchQuery[], _token = ''): Promise<any> =>
  orThrow(requestAsUser(currentInternals(), multiplePath, completeQueries(searchQuery)))

export const SearchWithLinker = (searchQuery: SearchQuery[], token = ''): Promise<any> =>
  SearchLinkMultipleApi(searchQuery, token)

/** Returns the path of a search for text, with its parameters. */
export function textSearchPath({ type, search, inpage, page, auth }: Partial<SearchStructure>) {
  const path =
    auth === false
      ? '/api-search-compositions-internal-clean-ccs'
      : '/api/search-all-with-linker-ccs'
  return withParameters(path, { search, type, inpage: inpage ?? 10, page: page ?? 1 })
}

function withParameters(path: string, values: Record<string, unknown>): string {
  const entries = Object.entries(values).map(([key, value]) => [key, String(value ?? '')])
  return `${path}?${new URLSearchParams(entries)}`
}

/** Finds compositions by their text, and follows linkers from them. */
export async function SearchWithTypeAndLinker(
  searchStructure: SearchStructure,
  searchQuery: SearchQuery[],
  _token = '',
): Promise<any> {
  const ids = await postSearch(textSearchPath(searchStructure), completeQueries(searchQuery))
  await fetchFound(ids)
  return formatTextSearch(ids, 3)
}

/** Formats the compositions that a search for text found, with their links. */
export function formatTextSearch(ids: SearchIds, format: number): any[] {
  const { graph } = currentInternals()
  const all = { ...ids, compositionIds: [...ids.compositionIds, ...ids.mainCompositionIds] }
  const records = readWithLinks(all, format)
  return ids.mainCompositionIds.flatMap((id) => records.get(graph.real(id)) ?? [])
}

export const SearchWithTypeAndLinkerApi = (
  searchStructure: SearchStructure,
  searchQuery: SearchQuery[],
  _token = '',
): Promise<any> =>
  orThrow(
    requestAsUser(
      currentInternals(),
      textSearchPath(searchStructure),
      completeQueries(searchQuery),
    ),
  )

/** Requests a path of the server and returns the JSON of the response; an empty list if the request is refused. */
async function getList(path: string): Promise<any> {
  const response = await orThrow(currentClient().fetch(path))
  return response.ok ? response.json() : []
}

const internalPath = (path: string, search: SearchStructure): string => {
  const { composition, search: text, internalComposition, type, inpage, page } = search
  const values = { composition, search: text, internalComposition, type, inpage, page }
  return withParameters(path, values)
}

/** Finds compositions by the text of a member, as the signed-in user, and returns them. */
export async function SearchLinkInternal(
  searchQuery: SearchStructure,
  _token = '',
): Promise<any[]> {
  const path = '/api/search-composition-internal-authenticated-ccs'
  const ids: Id[] = await getList(internalPath(path, searchQuery))
  return readAll(ids, 'listed')
}

/** Finds compositions by the text of a member, and returns the server's answer unchanged. */
export const SearchLinkInternalAll = (searchQuery: SearchStructure, _token = ''): Promise<any> =>
  getList(internalPath('/api-search-compositions-internal-clean-ccs', searchQuery))

/** Finds compositions by their text. */
export const SearchAllConcepts = (
  type: string,
  search: string,
  composition: string,
  _token: string,
  inpage = 10,
  page = 1,
): Promise<any> =>
  getList(withParameters('/api/search-compositions', { type, search, composition, inpage, page }))

/** Returns the body of a recursive search. */
const recursiveQuery = (
  composition: number,
  listLinkers: readonly string[],
  textSearch: string,
  fullLinkers: readonly string[] = [],
) =>
  completeQueries([
    { composition, listLinkers: [...listLinkers], textSearch, fullLinkers: [...fullLinkers] },
  ])[0]

/** Finds the compositions that contain a value with the text, and reads everything inside them. */
export async function RecursiveSearchApi(
  composition = 0,
  listLinkers: string[] = [],
  textSearch = '',
  fullLinkers: string[] = [],
): Promise<any> {
  const ids = await RecursiveSearchApiRaw(composition, listLinkers, textSearch, fullLinkers)
  await fetchFound(ids)
  return ids.compositionIds.map((id: Id) => readShape(id, 'listed'))
}

export const RecursiveSearchApiWithInternalConnections = (
  composition = 0,
  listLinkers: string[] = [],
  textSearch = '',
): Promise<any> => RecursiveSearchApi(composition, listLinkers, textSearch)

/**
 * Finds the compositions that contain a value with the text. Returns the ids of the compositions and of their
 * connections.
 */
export async function RecursiveSearchApiRaw(
  composition = 0,
  listLinkers: string[] = [],
  textSearch = '',
  fullLinkers: string[] = [],
): Promise<any> {
  const query = recursiveQuery(composition, listLinkers, textSearch, fullLinkers)
  const { compositionIds, internalConnections, externalConnections } = await postSearch(
    recursivePath,
    query,
  )
  const noLinks = { linkers: [], reverse: [], mainCompositionIds: [] }
  return { compositionIds, internalConnections, externalConnections, ...noLinks }
}

export const RecursiveSearchApiRawFullLinker = (
  composition = 0,
  fullLinkers: string[] = [],
  textSearch = '',
): Promise<any> => RecursiveSearchApiRaw(composition, [], textSearch, fullLinkers)

export const RecursiveSearchApiNewRawFullLinker = (
  composition = 0,
  fullLinkers: string[] = [],
  textSearch = '',
): Promise<any> => RecursiveSearchApiRaw(composition, [], textSearch, fullLinkers)

/** Reads compositions without their types, and single values under their types. */
export async function ViewInternalData(ids: number[]): Promise<any[]> {
  const { graph } = currentInternals()
  const found = await readAll(ids, 'withId')
  return found.map(({ data, id }) => {
    const isComposition = graph.concept(id)?.composition
    return { data: isComposition ? Object.values(data)[0] : data, id }
  })
}

/** Returns the ids of the concepts and the connections inside compositions, in the server's format. */
export const ViewInternalDataApi = (ids: number[]): Promise<any> => {
  const { graph } = currentInternals()
  const path = '/api/view-api-internal-data-ccs-id-bulk'
  const body = ids.map((id) => graph.real(id))
  return orFallback(requestAsUser(currentInternals(), path, body), [])
}
