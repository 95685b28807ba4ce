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
  /** Hop: `connection` is a linker of former times, a value of "the_connection". */
  readonly legacy?: boolean
  /** Names of connections, or `self`, whose targets belong to every result of this node. */
  readonly selectors?: readonly string[]
  readonly hops?: readonly Query[]
  /** Of roots and of the children of a paged hop, by age. Concepts asked for by id keep their order without it. */
  readonly order?: Order
  /** Pages the roots; pages a hop, for each parent, only when `limit` is true, and `self` never. */
  readonly page?: number
  readonly pageSize?: number
  readonly limit?: boolean
  /** Root: only roots beyond this one in their order, for pages that stay cheap however far down they are. */
  readonly after?: Id
  /** Root: count the roots that pass to the last, at whatever cost. */
  readonly countAll?: boolean
  /** What filters call the results. */
  readonly name?: string
  /** Root. `logic` says how they go together; without it they have no effect. */
  readonly filters?: readonly Filter[]
  /** Root: names of filters with EXAND, NOT, AND, OR, from tight to loose, and parentheses. */
  readonly logic?: string
  /** Name of the node that EXAND looks under for both its sides, for the filters on this node. */
  readonly ancestor?: string
  /** Hop: bring what it finds although no filter is on it or below. */
  readonly include?: boolean
  /** Hop: follow the connection from its own results again, up to so many times in a row. */
  readonly depth?: number
  /** Hop: bring numbers in place of records. */
  readonly aggregate?: Aggregate
  /** Root: tell administrators how the server found the answer. */
  readonly explain?: boolean
}

type Order = 'ASC' | 'DESC'

/** True of a root when the node `on`, as reached from that root, holds a concept that it is true of. */
export interface Filter {
  /** What `logic` calls it. */
  readonly name: string
  /** The `name` of a node; left out, the root. */
  readonly on?: string
  /**
   * The name of the type that the concept must have, or a special field: `id`, `entry_timestamp`, `user_id`,
   * `type_concept`; left out, any type.
   */
  readonly type?: string
  /** `=` when left out. */
  readonly op?: Op | 'exists'
  /** What is compared with: a number, a time or a text; letters of either case are equal. */
  readonly search?: string
}

/** `like` looks for the pieces between percent signs, in order. */
export type Op = '=' | '!=' | 'like' | '>' | '>=' | '<' | '<='

/**
 * `count`: how many connections each concept has. `distinct`: how many different concepts all roots that
 * pass lead to, on whatever page. `group`: also which, and how many connections lead to each; its page is of
 * the largest.
 */
type Aggregate = 'count' | 'distinct' | 'group'

/** What a query found, in ids. */
export interface Answer {
  /** One page of the roots, in order. */
  readonly roots: readonly Id[]
  /** Every connection the results need, oldest first. */
  readonly links: readonly Id[]
  /** Those of them that were walked from target to source. */
  readonly reverse: readonly Id[]
  /** How many connections of a paged or counted hop there are in all; zeros are left out. */
  readonly counts: readonly Count[]
  /** How many roots there are in all. */
  readonly total: number
  readonly order: Order
  readonly more?: More
}

/** What only some answers say. */
export interface More {
  /** True when there may be more than `total`. */
  readonly atLeast?: boolean | undefined
  /** Of the hops that aggregate over all roots, in the order of the query. */
  readonly groups?: readonly Groups[] | undefined
  /** How the server found it, a line for each step. */
  readonly plan?: string | undefined
}

/** How many connections of a type a concept has, in the direction the hop walks. */
export interface Count {
  readonly of: Id
  readonly type: Id
  readonly n: number
}

/** What the roots that pass lead to along a hop. */
export interface Groups {
  /** The name of the hop, or else its connection. */
  readonly name: string
  readonly connection: string
  /** How many different concepts. */
  readonly distinct: number
  /** One page of them, the largest first and the oldest of a size first. */
  readonly top: readonly Group[]
}

/** A concept, its value, and how many connections lead to it. */
interface Group {
  readonly id: Id
  readonly value: string
  readonly count: number
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
