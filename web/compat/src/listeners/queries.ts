import type { Shape } from '@weft/client/internal'
import { readListened } from '../attached-links.ts'
import { fetchCompositions, readShape, typeIdOf } from '../compositions.ts'
import { linkShape, openLinks } from '../links.ts'
import { listQuery } from '../lists.ts'
import { JUSTDATA } from '../model/constants.ts'
import type { FreeschemaQuery } from '../model/queries.ts'
import {
  answerOf,
  formatAnswer,
  openQuery,
  type RawAnswer,
  realAnswer,
  toQuery,
} from '../schema-query.ts'
import { DependencyObserver, type Source } from './observer.ts'
import { querySource, recordSource } from './sources.ts'

/** Follows a schema query. `query` may be changed before `update()`. */
class SchemaQueryObservable extends DependencyObserver {
  query: FreeschemaQuery
  totalCount = 0
  countInfos: RawAnswer['countInfos'] = []
  order: string

  constructor(query: FreeschemaQuery, _token = '') {
    super()
    this.query = query
    this.format = query.outputFormat
    this.order = query.order
  }

  protected override createSource(): Source {
    this.format = this.query.outputFormat
    return querySource(openQuery(toQuery(this.query)), (state) => {
      const answer = realAnswer(answerOf(state))
      this.compositionIds = [...answer.compositionIds]
      this.linkers = [...answer.linkers]
      this.reverse = [...answer.reverse]
      this.conceptIds = [...answer.conceptIds]
      this.countInfos = answer.countInfos
      this.totalCount = (state.status === 'ready' ? state.total : undefined) ?? 0
      return formatAnswer(answer, this.format)
    })
  }
}

export const SchemaQueryListener = (query: FreeschemaQuery, token: string): any =>
  new SchemaQueryObservable(query, token)

/** Follows one composition. */
class GetCompositionObservable extends DependencyObserver {
  constructor(id: number, format: number) {
    super()
    this.mainConcept = id
    this.compositionIds = [id]
    this.format = format
  }

  protected override createSource(): Source {
    const id = this.mainConcept
    const load = async () => {
      await fetchCompositions([id])
      return readListened(id, this.format)
    }
    return recordSource({ load, reload: () => readListened(id, this.format), ids: () => [id] })
  }
}

export const GetCompositionListener = (id: number, format: number = JUSTDATA): any =>
  new GetCompositionObservable(id, format)

/** Follows one page of the compositions of a user. */
class GetCompositionListObservable extends DependencyObserver {
  compositionName: string
  userId: number
  inpage: number
  page: number

  constructor(compositionName: string, userId: number, inpage: number, page: number) {
    super()
    this.compositionName = compositionName
    this.userId = userId
    this.inpage = inpage
    this.page = page
  }

  protected override async createSource(): Promise<Source> {
    this.mainConcept = await typeIdOf(this.compositionName)
    const query = listQuery(this.compositionName, this.userId, this)
    return querySource(openQuery(query), (state) => {
      this.compositionIds = [...realAnswer(answerOf(state)).compositionIds]
      return this.compositionIds.map((id) => readListened(id, this.format))
    })
  }
}

export const GetCompositionListListener = (
  compositionName: string,
  userId: number,
  inpage: number,
  page: number,
  format: number = JUSTDATA,
): any =>
  Object.assign(new GetCompositionListObservable(compositionName, userId, inpage, page), { format })

/** Follows one page of the records that a legacy linker leads to. */
class GetLinkObservable extends DependencyObserver {
  linker: string
  inpage: number
  page: number

  constructor(id: number, linker: string, inpage: number, page: number) {
    super()
    this.mainConcept = id
    this.linker = linker
    this.inpage = inpage
    this.page = page
  }

  protected override async createSource(): Promise<Source> {
    const { inpage, page } = this
    const links = await openLinks(this.mainConcept, this.linker, { inpage, page, legacy: true })
    const shape: Shape = linkShape(this.format)
    return querySource(links, (state) => {
      if (state.status === 'error') throw state.error
      this.compositionIds = state.status === 'ready' ? [...state.data] : []
      return this.compositionIds.map((id) => readShape(id, shape))
    })
  }
}

export const GetLinkListener = (
  id: number,
  linker: string,
  inpage: number,
  page: number,
  format: number = JUSTDATA,
): any => Object.assign(new GetLinkObservable(id, linker, inpage, page), { format })
