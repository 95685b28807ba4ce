import type { Id } from '../model/id.ts'

/**
 * A query: a tree of hops from a set of roots. Defaults: empty, false, newest first, page 1 with 10 rows. The server
 * refuses queries that are contradictory or too large.
 */
export interface Query {
  /** Root: every instance of this type. */
  readonly type?: string
  /** Root: these concepts, instead of `type`. */
  readonly conceptIds?: readonly Id[]
  /** Hop: name of the connection type to follow, or `self` for the record's own data. */
  readonly connection?: string
  /** Hop: follow the connections from target to source. */
  readonly reverse?: boolean
  /** Hop over `self`: follows only connections to the parts of the record itself, not to those of nested records. */
  readonly direct?: boolean
  /** Hop: `connection` is the name of a legacy link, a value of `the_connection`. */
  readonly legacy?: boolean
  /** Names of connections, or `self`, whose targets are returned with each result of this node. */
  readonly selectors?: readonly string[]
  readonly hops?: readonly Query[]
  /** Order by age, for the roots and for the results of a paged hop. Without `order`, `conceptIds` keep their order. */
  readonly order?: Order
  /** Root: sorts the roots by values; the first key counts most. Roots with equal values are sorted by `order`. */
  readonly orderBy?: readonly OrderBy[]
  /**
   * Page number, from 1. Roots are always paged. A hop is paged, separately for each parent, only if `limit` is true; a
   * hop over `self` is never paged.
   */
  readonly page?: number
  /** Rows per page. Default: 10. */
  readonly pageSize?: number
  /** Hop: pages its results. */
  readonly limit?: boolean
  /**
   * Root: cursor. Returns only the roots that follow it in the order, at the same cost for every page. The cursor is
   * the id of the last root of the previous page or, with `orderBy`, the `next` of the previous page.
   */
  readonly after?: Id | string
  /** Root: counts all roots that pass the filters, without a limit on the cost. */
  readonly countAll?: boolean
  /** Name of the node, for `Filter.on` and `ancestor`. */
  readonly name?: string
  /** Root: conditions, combined by `logic`. Without `logic` they have no effect. */
  readonly filters?: readonly Filter[]
  /** Root: expression over filter names, with EXAND, NOT, AND, OR, in order of precedence, and parentheses. */
  readonly logic?: string
  /** Name of the node under which an EXAND combines the filters on this node. */
  readonly ancestor?: string
  /** Hop of a query with filters: returns its results even if no filter applies to this hop or to a hop below it. */
  readonly include?: boolean
  /** Hop: maximum number of times in a row that the connection is followed. */
  readonly depth?: number
  /** Hop: returns numbers instead of records. */
  readonly aggregate?: Aggregate
  /** Root: returns warnings about types that do not exist, and about filters and names in `logic` without effect. */
  readonly warnings?: boolean
  /** Root: returns the query plan, to administrators only. */
  readonly explain?: boolean
}

type Order = 'ASC' | 'DESC'

/**
 * A key by which roots are sorted: the value of a field, or of the target of a connection. If a root has several, the
 * newest connection counts. Roots without a value, with an empty value, or with a value of another kind come last in
 * both directions.
 */
export interface OrderBy {
  /** The type of a part of the root itself, such as `the_name`; parts of nested records do not count. */
  readonly field?: string
  /** A connection of the root instead of its parts. With `field`, only targets of that type count. */
  readonly connection?: string
  /** Default: `ASC`. */
  readonly direction?: Order
  /**
   * The values that count. With `text`, the default, all values count: numbers come first, then times, then other text
   * without regard to case.
   */
  readonly kind?: 'text' | 'number' | 'time'
}

/** A condition. A root passes if the node `on` has a result that is reached from this root and meets the condition. */
export interface Filter {
  /** Name for `logic`. */
  readonly name: string
  /** The `name` of a node. Default: the root. */
  readonly on?: string
  /**
   * Name of the type that the concept must have, or a special field: `id`, `entry_timestamp`, `user_id`,
   * `type_concept`. Default: any type.
   */
  readonly type?: string
  /** Default: `=`. */
  readonly op?: '=' | '!=' | 'like' | '>' | '>=' | '<' | '<=' | 'exists'
  /** The operand: a number, a time or other text, which is compared regardless of case. */
  readonly search?: string | number | boolean
}

/**
 * An operator that compares a value. A new operator also needs a rule in `predicate.ts` and in Go. The pattern of
 * `like` consists of pieces separated by percent signs, which must occur in this order.
 */
export type Op = Exclude<NonNullable<Filter['op']>, 'exists'>

/**
 * `count`: the number of connections of each concept. `distinct`: the number of different concepts that the hop reaches
 * from all roots that pass the filters, not only from the roots of the page. `group`: like `distinct`, and also one
 * page of these concepts with the number of connections to each, largest number first.
 */
type Aggregate = 'count' | 'distinct' | 'group'

/** The result of a query, in ids. */
export interface Answer {
  /** The requested page of roots, in order. */
  readonly roots: readonly Id[]
  /** All connections that the query followed, oldest first. */
  readonly links: readonly Id[]
  /** The elements of `links` that were followed from target to source. */
  readonly reverse: readonly Id[]
  /** Total numbers of connections of paged and counted hops. Zeros are left out. */
  readonly counts: readonly Count[]
  /** Number of all roots that pass the filters, on all pages. */
  readonly total: number
  readonly order: Order
  readonly details?: AnswerDetails
}

/** Members that only some answers have. */
export interface AnswerDetails {
  /** Set if `total` is a lower bound. */
  readonly atLeast?: boolean | undefined
  /** Results of the hops with `distinct` or `group`, in the order of the query. */
  readonly groups?: readonly Groups[] | undefined
  /** With `orderBy`: the cursor for the `after` of the next page, if this page is full. */
  readonly next?: string | undefined
  /** Warnings of the server, one sentence each, if the query asks for them and there are any. */
  readonly warnings?: readonly string[] | undefined
  /** The query plan, one line per step. */
  readonly plan?: string | undefined
  /** The steps of the plan with their durations, for administrators. */
  readonly planSteps?: readonly PlanStep[] | undefined
}

/** A step of a query plan. */
export interface PlanStep {
  /** Depth of the step in the plan: the parts of a step have a larger level. */
  readonly level: number
  readonly label: string
  /** Expected rows; -1 without an estimate. */
  readonly estimated: number
  /** Actual rows; -1 for a step that was skipped. */
  readonly actual: number
  /** Duration in milliseconds. The hops of one level are followed together, so each has the duration of the whole level. */
  readonly ms: number
}

/** Number of connections of a type that a concept has, in the direction of the hop. */
export interface Count {
  readonly of: Id
  readonly type: Id
  readonly n: number
}

/** The result of a hop with `distinct` or `group`. */
export interface Groups {
  /** Name of the hop, or its connection if it has no name. */
  readonly name: string
  readonly connection: string
  /** Number of different concepts. */
  readonly distinct: number
  /** One page, largest first, then oldest first; empty for `distinct`. */
  readonly top: readonly GroupCount[]
}

/** A concept, its value, and the number of connections to it. */
interface GroupCount {
  readonly id: Id
  readonly value: string
  readonly count: number
}

/** Formats of rows. The rows of DATAIDDATE, ALLID and LISTNORMAL have the shape of NORMAL. */
export type Format =
  | 'NORMAL'
  | 'DATAID'
  | 'JUSTDATA'
  | 'DATAIDDATE'
  | 'RAW'
  | 'ALLID'
  | 'LISTNORMAL'
  | 'DATAV2'
