import type { Client, ClientOptions, Write } from '../api.ts'
import type { WeftError } from '../model/error.ts'
import type {
  AnyField,
  AnyLink,
  Id,
  Instant,
  InstantFilter,
  RequiredKey,
  SchemaData,
  typing,
} from './fields.ts'

/*
 * Types of the typed client: rows, inputs, filters and query objects, all derived from a schema.
 *
 * Each derived family is a mapped type over the types of the schema (`Wheres<S>`, `Inputs<S>`, …) and is read with an
 * index: `Wheres<S>['contact']`. TypeScript resolves such a property only when it is used and caches it per schema, so
 * the cost of type checking is proportional to the queries of an application, not to the size of its schema. Messages
 * then print the members instead of an alias with the whole schema as its argument.
 *
 * - Recursive families end in `extends infer X ? { [K in keyof X]: X[K] } : never`. Without it a nested `with` walks
 *   through all types of the schema.
 * - Only `with` and `select` are inferred. `where` and `orderBy` have known types, so that excess members are refused.
 * - `const W extends Withs<S>[T] = Withs<S>[T]`: with `{}` as the default, editors would not complete inside `with`.
 */

// ── Schema ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A defined schema, which `createClient({ schema })` accepts. `S` is inferred; applications do not write it.
 *
 * The schema carries the code of the typed client, so applications without a schema do not download it.
 */
export interface Schema<in out S> {
  /** The builders given to `defineSchema`. Only their types are used. */
  readonly shape: S
  /** The stored form of the schema, as `weft schema push` accepts it. */
  readonly data: SchemaData
  /** Returns a client with the typed methods. `createClient` calls it. */
  extend(client: Client, options: ClientOptions): TypedClient<S>
}

// ── Names ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Names of the fields of each type, without links. */
type FieldNames<S> = {
  [T in keyof S]: { [K in keyof S[T]]: S[T][K] extends AnyField ? K : never }[keyof S[T]] & string
}
type ToOneNames<S> = {
  [T in keyof S]: {
    [K in keyof S[T]]: S[T][K] extends { readonly kind: 'one' } ? K : never
  }[keyof S[T]] &
    string
}
type ToManyNames<S> = {
  [T in keyof S]: {
    [K in keyof S[T]]: S[T][K] extends { readonly kind: 'many' } ? K : never
  }[keyof S[T]] &
    string
}
type NumberNames<S> = {
  [T in keyof S]: {
    [K in keyof S[T]]: S[T][K] extends { readonly kind: 'integer' | 'number' } ? K : never
  }[keyof S[T]] &
    string
}
type SortNames<S> = {
  [T in keyof S]: {
    [K in keyof S[T]]: S[T][K] extends {
      readonly kind:
        | 'text'
        | 'longText'
        | 'integer'
        | 'number'
        | 'boolean'
        | 'date'
        | 'dateTime'
        | 'choice'
    }
      ? K
      : never
  }[keyof S[T]] &
    string
}

type UniqueNames<S> = {
  [T in keyof S]: {
    [K in keyof S[T]]: S[T][K] extends { readonly [typing]: { readonly unique: true } } ? K : never
  }[keyof S[T]] &
    string
}

type TargetOf<L> = L extends AnyLink ? L[typeof typing]['target'] : never
type RowValue<F> = F extends AnyField ? F[typeof typing]['row'] : never

// ── Inputs ──────────────────────────────────────────────────────────────────────────────────────────────────────────

type LinkInput<L> = L extends { readonly kind: 'many' }
  ? readonly Id<TargetOf<L>>[]
  : Id<TargetOf<L>>
type InputValue<F> = F extends AnyField ? F[typeof typing]['input'] : LinkInput<F>
/** Keys of members that can be written. An inverse link is not among them: it is set on the other record. */
type WritableKey<F> = {
  [K in keyof F]: F[K] extends { readonly [typing]: { readonly inverse: string } } ? never : K
}[keyof F]

/** Input of `create`. */
type Inputs<S> = {
  readonly [T in keyof S]: {
    readonly [K in RequiredKey<S[T]> | WritableKey<S[T]> as K extends RequiredKey<S[T]>
      ? K
      : never]: InputValue<S[T][K]>
  } & {
    readonly [K in WritableKey<S[T]> as K extends RequiredKey<S[T]> ? never : K]?:
      | InputValue<S[T][K]>
      | null
      | undefined
  } extends infer I
    ? { readonly [K in keyof I]: I[K] }
    : never
}

/** Input of `update`: undefined leaves a field unchanged, null empties it. A required field cannot be emptied. */
type Changes<S> = {
  readonly [T in keyof S]: {
    readonly [K in WritableKey<S[T]>]?:
      | InputValue<S[T][K]>
      | (K extends RequiredKey<S[T]> ? never : null)
      | undefined
  }
}

// ── Filters ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Filter on a to-many link. All conditions inside it must hold for one linked record. */
interface ManyFilter<W> {
  readonly some?: W
  readonly every?: W
  readonly none?: W
}
/** Filter on a link to several types. */
interface AnyTypeFilter<T extends string> {
  readonly id?: Id<T>
  readonly _type?: T
}

type IsUnion<T, U = T> = [T] extends [never]
  ? false
  : T extends unknown
    ? [U] extends [T]
      ? false
      : true
    : never

type LinkWhere<S, L> =
  IsUnion<TargetOf<L>> extends true
    ? Id<TargetOf<L>> | null | AnyTypeFilter<TargetOf<L>>
    : L extends { readonly kind: 'many' }
      ? ManyFilter<Wheres<S>[TargetOf<L> & keyof S]>
      : Id<TargetOf<L>> | null | (Wheres<S>[TargetOf<L> & keyof S] & { readonly exists?: boolean })

/** Filters of each type. All conditions of one object must be true. */
type Wheres<S> = {
  readonly [T in keyof S]: {
    readonly [K in keyof S[T]]?: S[T][K] extends AnyField
      ? S[T][K][typeof typing]['where']
      : LinkWhere<S, S[T][K]>
  } & {
    readonly id?: Id<T & string> | { readonly in: readonly Id<T & string>[] }
    readonly or?: readonly Wheres<S>[T][]
    readonly and?: readonly Wheres<S>[T][]
    readonly not?: Wheres<S>[T]
    readonly _createdAt?: Instant | InstantFilter
    readonly _owner?: string
  } extends infer W
    ? { readonly [K in keyof W]: W[K] }
    : never
}

// ── Order ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Direction = 'asc' | 'desc'

/** The order of rows. The first key counts most. Empty values come last in both directions. */
type Orders<S> = {
  readonly [T in keyof S]: {
    readonly [K in SortNames<S>[T] | '_createdAt']?: Direction
  }
}

/** The order of rows of `find`, which may also name fields of the target of a to-one link. */
type LinkedOrders<S> = {
  readonly [T in keyof S]: Orders<S>[T] & {
    readonly [K in ToOneNames<S>[T]]?: {
      readonly [N in SortNames<S>[TargetOf<S[T][K & keyof S[T]]> & keyof S]]?: Direction
    }
  }
}

// ── With ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Options of a linked record or list in `with`. */
type LinkOptions<S> = {
  readonly [T in keyof S]: {
    readonly where?: Wheres<S>[T]
    readonly with?: Withs<S>[T]
    readonly select?: readonly FieldNames<S>[T][]
    readonly orderBy?: Orders<S>[T]
    readonly limit?: number
  }
}

type CountOptions<S> = {
  readonly [T in keyof S]: {
    readonly [K in ToManyNames<S>[T]]?:
      | true
      | { readonly where?: Wheres<S>[TargetOf<S[T][K & keyof S[T]]> & keyof S] }
  }
}

/** Links that a query loads with its rows. */
type Withs<S> = {
  readonly [T in keyof S]: {
    readonly [K in keyof S[T] as S[T][K] extends AnyField ? never : K]?: LinkWith<S, S[T][K]>
  } & {
    readonly _count?: CountOptions<S>[T]
    readonly _createdAt?: true
    readonly _owner?: true
  } extends infer W
    ? { readonly [K in keyof W]: W[K] }
    : never
}
type LinkWith<S, L> =
  IsUnion<TargetOf<L>> extends true ? true : true | LinkOptions<S>[TargetOf<L> & keyof S]

/** Marks an unknown member in messages of the compiler, with the given name and the allowed names. */
interface NotIn<Given, Allowed> {
  readonly given: Given
  readonly allowed: Allowed
}

type Plain = string | number | boolean | bigint | null | undefined | Date | readonly unknown[]

/**
 * Refuses unknown members of inferred options at any depth. TypeScript itself checks excess members only if the type is
 * known before inference (TypeScript issue 26051).
 */
type Exact<Given, Allowed> = Given extends Plain
  ? Given
  : {
      readonly [K in keyof Given]: K extends keyof Allowed
        ? Exact<Given[K], Extract<Allowed[K], object>>
        : NotIn<K, keyof Allowed>
    }

// ── Rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Rows of each type with all fields and no links. */
type Rows<S> = {
  readonly [T in keyof S]: { readonly id: Id<T & string> } & {
    readonly [K in FieldNames<S>[T] & keyof S[T]]: RowValue<S[T][K]>
  } extends infer R
    ? { readonly [K in keyof R]: R[K] }
    : never
}

type RowWith<S, T extends keyof S, W, F> = ([F] extends [never]
  ? Rows<S>[T]
  : Pick<Rows<S>[T], (F | 'id') & keyof Rows<S>[T]>) & {
  readonly [K in keyof W & keyof S[T] as undefined extends W[K] ? never : K]: LinkedRow<
    S,
    S[T][K],
    W[K]
  >
} & MetaOf<W> extends infer R
  ? { readonly [K in keyof R]: R[K] }
  : never
type MetaOf<W> = (W extends { readonly _count: infer C }
  ? { readonly _count: { readonly [K in keyof C]: number } }
  : unknown) &
  (W extends { readonly _createdAt: true } ? { readonly _createdAt: Date } : unknown) &
  (W extends { readonly _owner: true } ? { readonly _owner: string | null } : unknown)

type LinkedRow<S, L, O> = L extends { readonly kind: 'many' }
  ? readonly TargetRow<S, TargetOf<L>, O>[]
  : TargetRow<S, TargetOf<L>, O> | null
type TargetRow<S, T extends string, O> =
  IsUnion<T> extends true
    ? { [K in T]: UnionRow<{ readonly _type: K } & Rows<S>[K & keyof S]> }[T]
    : RowWith<S, T & keyof S, OptionOf<O, 'with'>, SelectOf<O>>
type UnionRow<R> = { readonly [K in keyof R]: R[K] }
type OptionOf<O, K extends string> = O extends { readonly [P in K]: infer V } ? V : unknown
type SelectOf<O> = O extends { readonly select: readonly (infer F)[] } ? F : never

/** The row of a type: `Row<typeof schema, 'contact', { company: true }>`. */
export type Row<X, T extends X extends Schema<infer S> ? keyof S : never, W = unknown, F = never> =
  X extends Schema<infer S> ? RowWith<S, T & keyof S, W, F> : never
/** The row of a query: `RowOf<typeof contacts>`. */
export type RowOf<Q> = Q extends TypedQuery<infer R> ? R : never
/** The input of `create`: `CreateInput<typeof schema, 'contact'>`. */
export type CreateInput<X, T extends X extends Schema<infer S> ? keyof S : never> =
  X extends Schema<infer S> ? Inputs<S>[T & keyof S] : never
/** The input of `update`. */
export type UpdateInput<X, T extends X extends Schema<infer S> ? keyof S : never> =
  X extends Schema<infer S> ? Changes<S>[T & keyof S] : never

// ── Queries ─────────────────────────────────────────────────────────────────────────────────────────────────────────

declare const cursor: unique symbol
/** Cursor of a page: an opaque string, which can be stored and put into a URL. */
export type Cursor = string & { readonly [cursor]: true }

export interface FindOptions<S, T extends keyof S, W, F> {
  /**
   * Conditions that all rows meet. An undefined value is refused: leave the key out, or use null to find records
   * without a value.
   */
  readonly where?: NoInfer<Wheres<S>[T]>
  /** Links to load with each row. */
  readonly with?: W & NoInfer<Exact<W, Withs<S>[T]>>
  /** Fields to return. Default: all. The id is always returned. */
  readonly select?: readonly (F & FieldNames<S>[T])[]
  readonly orderBy?: NoInfer<LinkedOrders<S>[T]>
  /** Rows per page, 100 by default. */
  readonly limit?: number
  /** The `next` of a page: the query starts after that page. */
  readonly after?: Cursor | null
  /** Search words. Each of them must occur in some field of the record, regardless of letter case. */
  readonly search?: string
}

interface Known<R> {
  /** The rows. While loading and after an error: the rows of the previous answer, if there was one. */
  readonly data: readonly R[]
  readonly hasMore: boolean
  /** Cursor of the page after this one; null on the last page. */
  readonly next: Cursor | null
}
/**
 * State of a live query. `data` can be used in every `status`. `isComplete` is true if this is the server's answer and
 * no pending or refused write changes it.
 */
export type TypedState<R> =
  | (Known<R> & {
      readonly status: 'loading'
      readonly isComplete: false
      readonly error: undefined
    })
  | (Known<R> & {
      readonly status: 'ready'
      readonly isComplete: boolean
      readonly error: undefined
    })
  | (Known<R> & {
      readonly status: 'error'
      readonly isComplete: false
      readonly error: WeftError
    })

/** An answer of `once`. `isComplete` is false if only the records in this browser were read. */
export interface Page<R> {
  readonly data: readonly R[]
  readonly next: Cursor | null
  readonly isComplete: boolean
}

/** A live query with typed rows. Equal options of one client give the same object. */
export interface TypedQuery<R> {
  /** Returns the state, which is the same object until it changes. Requests nothing. */
  get(): TypedState<R>
  /** Keeps the query up to date, and calls back after each change, until the returned function is called. */
  subscribe(listener: (state: TypedState<R>) => void): () => void
  /**
   * Resolves with the current answer: from the server or, while the server cannot be reached, from the records in this
   * browser. Rejects with the error of the query. With `requireComplete`, rejects with `unavailable` instead of
   * resolving with an incomplete answer.
   */
  once(options?: OnceOptions): Promise<Page<R>>
  /** Resolves with the first row, or undefined. */
  first(): Promise<R | undefined>
  /** Resolves with the number of all rows, on all pages. */
  count(): Promise<number>
  /**
   * Adds the next page to the rows of this query. Resolves when the page is loaded. Calls before that wait for the same
   * page.
   */
  loadMore(): Promise<void>
}
export interface OnceOptions {
  readonly requireComplete?: boolean
}

// ── Aggregates ──────────────────────────────────────────────────────────────────────────────────────────────────────

type GroupNames<S, T extends keyof S> = SortNames<S>[T] | ToOneNames<S>[T]

export interface AggregateOptions<S, T extends keyof S, G, Sum, Avg, Min, Max> {
  readonly where?: Wheres<S>[T]
  readonly groupBy?: readonly (G & GroupNames<S, T>)[]
  readonly sum?: readonly (Sum & NumberNames<S>[T])[]
  readonly avg?: readonly (Avg & NumberNames<S>[T])[]
  readonly min?: readonly (Min & SortNames<S>[T])[]
  readonly max?: readonly (Max & SortNames<S>[T])[]
  readonly limit?: number
}

type GroupValue<F> = F extends AnyField ? F[typeof typing]['row'] : Id<TargetOf<F>> | null
type Empty<K> = [K] extends [never] ? true : false
type NumbersOf<Name extends string, K> =
  Empty<K> extends true
    ? unknown
    : { readonly [N in Name]: { readonly [P in K & string]: number | null } }
type ValuesOf<S, T extends keyof S, Name extends string, K> =
  Empty<K> extends true
    ? unknown
    : { readonly [N in Name]: { readonly [P in K & keyof S[T]]: RowValue<S[T][P]> | null } }

/** One group: the values of the `groupBy` fields, and the computed numbers. */
type GroupRow<S, T extends keyof S, G, Sum, Avg, Min, Max> = {
  readonly [K in G & keyof S[T]]: GroupValue<S[T][K]>
} & { readonly count: number } & NumbersOf<'sum', Sum> &
  NumbersOf<'avg', Avg> &
  ValuesOf<S, T, 'min', Min> &
  ValuesOf<S, T, 'max', Max> extends infer R
  ? { readonly [K in keyof R]: R[K] }
  : never

// ── Writes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A write to a record of type T. */
export interface TypedWrite<T extends string = string> extends Write {
  readonly id: Id<T>
  readonly synced: Promise<Id<T>>
  readonly settled: Promise<Id<T>>
}

/** A removal, which can be undone. */
export interface TypedRemoval<T extends string = string> extends TypedWrite<T> {
  /** Restores the record with its id and links. */
  undo(): TypedWrite<T>
}

type TargetId<S, T extends keyof S, K> = Id<TargetOf<S[T][K & keyof S[T]]>>

/**
 * Methods that write. All of them check their input before anything is written, and throw `invalid` with `record`,
 * `field` and `rule`.
 */
export interface Writer<S> {
  /** Creates a record, which is visible immediately. Fields that are undefined or null are left out. */
  create<T extends keyof S & string>(type: T, fields: Inputs<S>[T]): TypedWrite<T>
  /** Changes fields: undefined keeps a field, null empties it. Throws `notFound` when the record is not loaded. */
  update<T extends keyof S & string>(id: Id<T>, changes: Changes<S>[T]): TypedWrite<T>
  /** Updates the record that has the same value in its unique field `by`, or creates a record. */
  upsert<T extends keyof S & string, B extends UniqueNames<S>[T]>(
    type: T,
    match: { readonly by: B },
    fields: Inputs<S>[T] & {
      readonly [K in B & keyof Inputs<S>[T]]-?: NonNullable<Inputs<S>[T][K]>
    },
  ): TypedWrite<T>
  /** Removes a record with its links, and the records nested in it. */
  remove<T extends keyof S & string>(id: Id<T>): TypedRemoval<T>
  /** Adds `by` to a number. Increments by several users at the same time add up. */
  increment<T extends keyof S & string>(
    id: Id<T>,
    field: NumberNames<S>[T],
    by: number,
  ): TypedWrite<T>
  /** Replaces the target of a to-one link; null removes the link. */
  setLink<T extends keyof S & string, K extends ToOneNames<S>[T]>(
    id: Id<T>,
    link: K,
    to: TargetId<S, T, K> | null,
  ): TypedWrite<T>
  /** Adds a record to a to-many link, unless it is already linked. */
  addLink<T extends keyof S & string, K extends ToManyNames<S>[T]>(
    id: Id<T>,
    link: K,
    to: TargetId<S, T, K>,
  ): TypedWrite<T>
  /** Removes a record from a to-many link. */
  removeLink<T extends keyof S & string, K extends ToManyNames<S>[T]>(
    id: Id<T>,
    link: K,
    to: TargetId<S, T, K>,
  ): TypedWrite<T>
}

/** A client with typed records. Members of `Client` that are not listed here are unchanged. */
export interface TypedClient<S> extends Writer<S>, Omit<Client, RawMember> {
  /** Finds records of a type. Returns a live query, which does nothing until it is used. */
  find<
    T extends keyof S & string,
    const W extends Withs<S>[T] = Withs<S>[T],
    F extends FieldNames<S>[T] = never,
  >(type: T, options?: FindOptions<S, T, W, F>): TypedQuery<RowWith<S, T, W, F>>
  /** Counts records, and computes sums, averages, minima and maxima, in groups. */
  aggregate<
    T extends keyof S & string,
    G extends GroupNames<S, T> = never,
    Sum extends NumberNames<S>[T] = never,
    Avg extends NumberNames<S>[T] = never,
    Min extends SortNames<S>[T] = never,
    Max extends SortNames<S>[T] = never,
  >(
    type: T,
    options: AggregateOptions<S, T, G, Sum, Avg, Min, Max>,
  ): TypedQuery<GroupRow<S, T, G, Sum, Avg, Min, Max>>
  /** Converts a number, or a string of digits such as from a URL, to an id. Throws `invalid` for anything else. */
  id<T extends keyof S & string>(type: T, value: number | string): Id<T>
  /** Returns the server's id of a record, given any of its ids; undefined while the record is not synced. */
  realId<T extends string>(id: Id<T>): Id<T> | undefined
  /**
   * Combines all writes of the callback into one. They are saved together, sent together, and accepted or refused
   * together.
   */
  transaction<R>(run: (tx: Writer<S>) => R): {
    readonly result: R
    readonly synced: Promise<void>
  }
  /** The same client without the schema. Its type names start with `the_`, and its values are strings. */
  readonly raw: Client
}
/** Members of `Client` that a typed client replaces. */
type RawMember = 'create' | 'update' | 'remove' | 'find' | 'realId'
