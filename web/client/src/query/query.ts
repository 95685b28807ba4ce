import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'

/** A tree of hops from a set of roots. What is left out is empty, false, newest first, page 1 of 10. */
export interface Query {
  /** Root: every instance of this type. */
  readonly type?: string
  /** Root: these concepts; takes the place of `type`. */
  readonly conceptIds?: readonly Id[]
  /** Hop: name of the connection type to follow, or `self` for the record's own data. */
  readonly connection?: string
  /** Hop: follow the connections from target to source. */
  readonly reverse?: boolean
  /** Names of connections, or `self`, whose targets belong to every result of this node. */
  readonly selectors?: readonly string[]
  readonly hops?: readonly Query[]
  /** Of roots and of the children of a paged hop, by age. Concepts asked for by id keep their order without it. */
  readonly order?: Order
  /** Pages the roots; pages a hop, for each parent, only when `limit` is true. */
  readonly page?: number
  readonly pageSize?: number
  readonly limit?: boolean
  /** What filters call the results. */
  readonly name?: string
  /** Refused for now. */
  readonly filters?: readonly unknown[]
  readonly logic?: string
}

export type Order = 'ASC' | 'DESC'

/** What a query found, in ids. */
export interface Answer {
  /** One page of the roots, in order. */
  readonly roots: readonly Id[]
  /** Every connection the results need, oldest first. */
  readonly links: readonly Id[]
  /** Those of them that were walked from target to source. */
  readonly reverse: readonly Id[]
  /** How many connections of a paged hop there are in all; zeros are left out. */
  readonly counts: readonly Count[]
  /** How many roots there are in all. */
  readonly total: number
  readonly order: Order
}

/** How many connections of a type a concept has, in the direction the hop walks. */
export interface Count {
  readonly of: Id
  readonly type: Id
  readonly n: number
}

/** DATAIDDATE, ALLID and LISTNORMAL have no shape of their own: they are NORMAL. */
export type Format =
  | 'NORMAL'
  | 'DATAID'
  | 'JUSTDATA'
  | 'DATAIDDATE'
  | 'RAW'
  | 'ALLID'
  | 'LISTNORMAL'
  | 'DATAV2'

/** Limits of a query. */
export const maxDepth = 32
export const maxNodes = 1_000
export const maxPageSize = 10_000
export const maxConceptIds = 10_000
export const maxLinks = 1_000_000

/** Throws `invalid`, or `tooLarge`, for a query nobody can run. */
export function checkQuery(query: Query): void {
  const ids = query.conceptIds ?? []
  if (ids.length > maxConceptIds)
    refuse('tooLarge', `${ids.length} concept ids; the most is ${maxConceptIds}`)
  if (ids.length === 0 && !query.type)
    refuse('invalid', 'a query needs a type or concept ids to start from')
  let nodes = 0
  const check = (node: Query, depth: number): void => {
    if (depth > maxDepth) refuse('tooLarge', `a query of more than ${maxDepth} levels`)
    nodes += 1 + (node.selectors?.length ?? 0)
    if (nodes > maxNodes) refuse('tooLarge', `a query of more than ${maxNodes} hops and selectors`)
    const { page = 1, pageSize = 10, order = 'DESC' } = node
    if (node.filters?.length || node.logic) refuse('invalid', 'filters are not supported yet')
    if (order !== 'ASC' && order !== 'DESC')
      refuse('invalid', `order ${order} is neither ASC nor DESC`)
    if (!Number.isInteger(page) || page < 1) refuse('invalid', `page ${page} is not one`)
    if (!Number.isInteger(pageSize) || pageSize < 1)
      refuse('invalid', `a page of ${pageSize} is none`)
    if (pageSize > maxPageSize)
      refuse('tooLarge', `a page of ${pageSize}; the most is ${maxPageSize}`)
    if (depth > 1 && !node.connection) refuse('invalid', 'a hop needs a connection to follow')
    if (node.connection === 'self' && (node.reverse || node.limit))
      refuse('invalid', 'a record’s own data ("self") is neither walked backwards nor paged')
    for (const hop of node.hops ?? []) check(hop, depth + 1)
  }
  check(query, 1)
}

function refuse(kind: 'invalid' | 'tooLarge', message: string): never {
  throw new WeftError(kind, message)
}
