import type { Id } from '../graph/id.ts'

/**
 * A tree of hops from a set of roots. What is left out is empty, false, newest first, page 1 of 10. The
 * server refuses a query that makes no sense or asks for too much.
 */
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
}

type Order = 'ASC' | 'DESC'

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
