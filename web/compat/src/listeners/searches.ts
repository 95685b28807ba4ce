import type { Shape } from '@weft/client/internal'
import { readShape, typeIdOf } from '../compositions.ts'
import { DATAID, NORMAL, RAW } from '../model/constants.ts'
import type { SearchQuery, SearchStructure } from '../model/queries.ts'
import {
  completeQueries,
  fetchFound,
  formatMultiple,
  formatTextSearch,
  multiplePath,
  postSearch,
  RecursiveSearchApiRaw,
  type SearchIds,
  textSearchPath,
} from '../search.ts'
import { DependencyObserver, type Source } from './observer.ts'
import { recordSource } from './sources.ts'

/** Follows a search, which is repeated when one of the found records changes. */
abstract class SearchObservable extends DependencyObserver {
  protected abstract search(): Promise<SearchIds>
  protected abstract shape(ids: SearchIds): any

  protected override createSource(): Source {
    const load = async () => {
      const ids = await this.search()
      await fetchFound(ids)
      const main = [...ids.compositionIds, ...ids.mainCompositionIds]
      this.compositionIds = [...new Set(main)]
      this.internalConnections = [...ids.internalConnections]
      this.linkers = [...ids.linkers]
      this.reverse = [...ids.reverse]
      return this.shape(ids)
    }
    const ids = () => [this.mainConcept, ...this.compositionIds].filter(Boolean)
    return recordSource({ load, reload: load, ids })
  }
}

/** Follows a search along linkers. */
export class SearchLinkMultipleAllObservable extends SearchObservable {
  searchQuery: SearchQuery[]
  override format: number

  constructor(searchQuery: SearchQuery[], _token: string, format: number = DATAID) {
    super()
    this.searchQuery = searchQuery
    this.mainConcept = searchQuery[0]?.composition ?? 0
    this.format = format
  }

  override bind(): Promise<any> {
    return super.bind()
  }

  protected override search(): Promise<SearchIds> {
    return postSearch(multiplePath, completeQueries(this.searchQuery))
  }

  protected override shape(ids: SearchIds): any {
    return formatMultiple(ids, this.searchQuery, this.format)
  }
}

export const searchLinkMultipleListener = (
  searchQueries: SearchQuery[],
  token = '',
  format: number = DATAID,
): SearchLinkMultipleAllObservable =>
  new SearchLinkMultipleAllObservable(searchQueries, token, format)

/** Follows a search for text with its links. */
class GetLinkListObservable extends SearchObservable {
  searchStructure: SearchStructure
  searchQuery: SearchQuery[]

  constructor(structure: SearchStructure, query: SearchQuery[], format: number) {
    super()
    this.searchStructure = structure
    this.searchQuery = query
    this.format = format
  }

  protected override async search(): Promise<SearchIds> {
    this.mainConcept = await typeIdOf(this.searchStructure.composition)
    return postSearch(textSearchPath(this.searchStructure), completeQueries(this.searchQuery))
  }

  protected override shape(ids: SearchIds): any {
    return this.format === RAW ? ids : formatTextSearch(ids, this.format)
  }
}

export const GetLinkListListener = (
  searchStructure: SearchStructure,
  searchQuery: SearchQuery[],
  _token: string,
  format: number = DATAID,
): any => new GetLinkListObservable(searchStructure, searchQuery, format)

/** Follows a recursive search. */
class RecursiveSearchObservable extends SearchObservable {
  listLinkers: string[]
  textSearch: string

  constructor(id: number, linkers: string[], searchText: string, format: number) {
    super()
    this.mainConcept = id
    this.listLinkers = linkers
    this.textSearch = searchText
    this.format = format
  }

  protected override search(): Promise<SearchIds> {
    return RecursiveSearchApiRaw(this.mainConcept, this.listLinkers, this.textSearch)
  }

  protected override shape(ids: SearchIds): any {
    const { compositionIds, internalConnections, externalConnections } = ids
    if (this.format === RAW) return { compositionIds, internalConnections, externalConnections }
    const shape: Shape = this.format === NORMAL || this.format === DATAID ? 'listed' : 'plain'
    return compositionIds.map((id) => readShape(id, shape))
  }
}

export const RecursiveSearchListener = (
  id: number,
  linkers: string[],
  searchText = '',
  format: number = DATAID,
): any => new RecursiveSearchObservable(id, linkers, searchText, format)
