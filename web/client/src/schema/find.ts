import type { LiveQuery, QueryState } from '../live/state.ts'
import type { Graph } from '../local/graph.ts'
import { reuseEqualParts } from '../local/structural-sharing.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { RootOrder } from '../query/order.ts'
import type { Answer, Query } from '../query/query.ts'
import {
  type CompiledFind,
  type FindContext,
  type FindInput,
  maxLimit,
  type RowPage,
} from './find-parts.ts'
import { compileLinkedOrder, hasLinkedOrder } from './linked-order.ts'
import type { TypeModel } from './model.ts'
import { needsFilterEngine, planRows, type Row, RowReader, rowHops } from './rows.ts'
import type { Cursor, OnceOptions, Page, TypedQuery, TypedState } from './types.ts'
import { isPlainRecord } from './values.ts'
import { compileWhere } from './where.ts'

/*
 * `client.find`: compiles its options to one query of the client (`compileFind`) and reads typed rows from its answers.
 *
 *   options ──where.ts──▶ hops, filters, logic ─┐
 *           ──rows.ts───▶ hops of `with` ───────┴─▶ Query ──client──▶ Answer ──RowReader──▶ rows
 *
 * A `FindQuery` has one live query of the client for all its subscribers. `loadMore` replaces this live query by one
 * with a larger page, so that all rows stay live. As with all live queries, pending writes are applied to answers of
 * the server, and the local graph answers until the server has responded.
 */

const defaultLimit = 100
type OrderKey = NonNullable<Query['orderBy']>[number]

const optionNames = ['where', 'with', 'select', 'orderBy', 'limit', 'after', 'search']

/** Compiles the options of `find`. Throws `invalid` for a malformed option; the message names it. */
export function compileFind(
  { schema, internals, warn }: FindContext,
  type: TypeModel,
  options: FindInput,
): CompiledFind {
  for (const name of Object.keys(options))
    if (!optionNames.includes(name)) refuse(`${JSON.stringify(name)} is not an option of find`)
  checkOptions(options)
  if (hasLinkedOrder(options.orderBy))
    return compileLinkedOrder(compileFind, { schema, internals, warn }, type, options)
  const { graph } = internals
  const where = compileWhere(schema, type, options.where, { search: options.search })
  const plan = planRows(schema, type, options)
  // Tests may read fields that `select` leaves out, so they get rows with all fields.
  const tested = planRows(schema, type, {})
  const { orderBy, order } = compileOrder(type, options.orderBy)
  const hops = [...rowHops(plan), ...where.hops, ...where.testHops]
  const isFiltered = where.logic !== undefined || needsFilterEngine(plan)
  const isOrdered = orderBy.length > 0
  const { after } = options
  const query = (limit: number): Query => ({
    ...(where.ids ? { conceptIds: where.ids } : { type: type.storeName }),
    selectors: ['self'],
    order,
    // Requests one more row than is shown: if it exists, there is a next page.
    pageSize: limit + 1,
    ...(hops.length > 0 && { hops }),
    ...(isFiltered && { filters: where.filters, logic: where.logic ?? '' }),
    ...(isOrdered && { orderBy }),
    ...(typeof after === 'string' && { after: isOrdered ? after : cursorId(after) }),
  })
  const toPage = (answer: Answer, run: (query: Query) => Answer, limit: number): RowPage => {
    const reader = new RowReader(graph, answer, run, warn)
    const roots = answer.roots.slice(0, limit)
    const passes = (id: Id) => {
      const row = reader.row(id, tested)
      return row !== undefined && where.tests.every((test) => test(row, run))
    }
    const passed = where.tests.length > 0 ? roots.filter(passes) : roots
    const rows = passed.flatMap((id) => reader.row(id, plan) ?? [])
    const last = answer.roots.length > limit ? (roots.at(-1) ?? 0) : 0
    return { rows, next: last === 0 ? null : cursorAfter(graph, query(limit), last) }
  }
  const key = `find ${JSON.stringify(options.select ?? 0)}`
  return {
    where,
    query,
    format: (limit) => ({
      key: `${key} ${JSON.stringify([options.with, options.where])} ${limit}`,
      toRows: (answer, run) => [toPage(answer, run, limit)],
    }),
  }
}

/** Returns the cursor of the page after a record. */
const cursorAfter = (graph: Graph, query: Query, last: Id): Cursor =>
  (query.orderBy ? new RootOrder(graph, query).cursorAfter(last) : `${graph.real(last)}`) as Cursor

function cursorId(cursor: string): Id {
  return /^-?\d+$/.test(cursor)
    ? Number(cursor)
    : refuse(`${JSON.stringify(cursor)} is not a cursor of this query`)
}

function checkOptions({ after, limit, search, where, orderBy }: FindInput): void {
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0 && limit <= maxLimit))
    refuse(`limit is a number from 1 to ${maxLimit}, not ${limit}`)
  if (search !== undefined && typeof search !== 'string')
    refuse(`search is not a string: ${typeof search}`)
  if (where !== undefined && !isPlainRecord(where)) refuse('where is not an object of conditions')
  if ((after ?? null) !== null && typeof after !== 'string') refuse(`${after} is not a cursor`)
  if (orderBy !== undefined && !isPlainRecord(orderBy)) refuse('orderBy is not an object')
}

const orderKinds: Readonly<Record<string, 'number' | 'time'>> = {
  integer: 'number',
  number: 'number',
  date: 'time',
  dateTime: 'time',
}

/**
 * Compiles `orderBy`. Without `orderBy`, records are ordered by age, newest first; `_createdAt` is also the order by
 * age. Fields after `_createdAt` have no effect, because no two records have the same age.
 */
function compileOrder(type: TypeModel, orderBy: FindInput['orderBy']) {
  const keys: OrderKey[] = []
  for (const [name, direction] of Object.entries(orderBy ?? {})) {
    if (direction !== 'asc' && direction !== 'desc')
      refuse(`orderBy.${name} is neither "asc" nor "desc"`)
    const upper = direction === 'asc' ? 'ASC' : 'DESC'
    if (name === '_createdAt') return { orderBy: keys, order: upper } as const
    const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
    if (!field || ['json', 'file', 'list', 'record'].includes(field.kind))
      return refuse(`orderBy.${name} is not a field that has an order`)
    keys.push({ field: `the_${name}`, direction: upper, kind: orderKinds[field.kind] ?? 'text' })
  }
  return { orderBy: keys, order: 'DESC' } as const
}

/** Creates a query of `client.find`. Throws `invalid` for malformed options. */
export const createFindQuery = (
  context: FindContext,
  type: string,
  options: FindInput,
): TypedQuery<Row> => new FindQuery(context, context.schema.type(type), options)

export class FindQuery implements TypedQuery<Row> {
  readonly #context: FindContext
  readonly #type: TypeModel
  readonly #options: FindInput
  readonly #compiled: CompiledFind
  readonly #limit: number
  #pages = 1
  #loading: Promise<void> | undefined
  #live: LiveQuery<RowPage>
  #unsubscribe: (() => void) | undefined
  readonly #listeners = new Set<() => void>()
  #source: QueryState<RowPage> | undefined
  #state: TypedState<Row> = loadingState([])

  constructor(
    context: FindContext,
    type: TypeModel,
    options: FindInput,
    compiled: CompiledFind = compileFind(context, type, options),
  ) {
    this.#context = context
    this.#type = type
    this.#options = options
    this.#limit = options.limit ?? defaultLimit
    this.#compiled = compiled
    this.#live = this.#openLive(this.#limit)
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  get(): TypedState<Row> {
    const source = this.#live.get()
    if (source !== this.#source) {
      this.#source = source
      this.#state = toTypedState(source, this.#state.data)
    }
    return this.#state
  }

  subscribe(listener: (state: TypedState<Row>) => void): () => void {
    const notify = () => listener(this.get())
    this.#listeners.add(notify)
    this.#unsubscribe ??= this.#live.subscribe(this.#notify)
    return () => {
      this.#listeners.delete(notify)
      if (this.hasListeners) return
      this.#unsubscribe?.()
      this.#unsubscribe = undefined
    }
  }

  async once({ requireComplete = false }: OnceOptions = {}): Promise<Page<Row>> {
    const page = await this.#readPage(this.#options, this.#limit)
    if (requireComplete && !page.isComplete)
      throw new WeftError(
        'unavailable',
        'the server cannot be reached; only records of this browser were read',
      )
    return page
  }

  async first(): Promise<Row | undefined> {
    const { data } = await this.#readPage(this.#options, 1)
    return data[0]
  }

  async count(): Promise<number> {
    if (this.#compiled.where.tests.length > 0) return this.#countTested()
    const { schema } = this.#context
    const { where, search } = this.#options
    const compiled = compileWhere(schema, this.#type, where, { search })
    const query: Query = {
      ...(compiled.ids ? { conceptIds: compiled.ids } : { type: this.#type.storeName }),
      hops: compiled.hops,
      filters: compiled.filters,
      logic: compiled.logic ?? '',
      countAll: true,
      pageSize: 1,
    }
    const format = { key: 'count', toRows: ({ total }: Answer) => [total] }
    const state = await readOnce(this.#context.internals.queries.query<number>(query, format))
    return state.status === 'ready' ? (state.data[0] ?? 0) : 0
  }

  loadMore(): Promise<void> {
    // Concurrent calls share one request. Otherwise two answers could arrive out of order, and the smaller page would
    // replace the larger one.
    this.#loading ??= this.#loadMore().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #loadMore(): Promise<void> {
    if (this.get().next === null || this.#limit * (this.#pages + 1) > maxLimit) return
    this.#pages++
    const live = this.#openLive(this.#limit * this.#pages)
    await live.refresh()
    const unsubscribe = this.#unsubscribe && live.subscribe(this.#notify)
    this.#unsubscribe?.()
    this.#unsubscribe = unsubscribe
    this.#live = live
    this.#notify()
  }

  readonly #notify = () => {
    for (const listener of [...this.#listeners]) listener()
  }

  #openLive(limit: number): LiveQuery<RowPage> {
    return openLive(this.#context, this.#compiled, limit)
  }

  /** Reads a page once. If rows fail the tests, reads the following rows too, until the page is full. */
  async #readPage(options: FindInput, limit: number): Promise<Page<Row>> {
    let page = await readPage(this.#context, this.#compiled, limit)
    while (page.data.length < limit && page.next !== null) {
      const compiled = compileFind(this.#context, this.#type, { ...options, after: page.next })
      const more = await readPage(this.#context, compiled, limit - page.data.length)
      const isComplete = page.isComplete && more.isComplete
      page = { data: [...page.data, ...more.data], next: more.next, isComplete }
    }
    return page
  }

  async #countTested(): Promise<number> {
    const { where, search } = this.#options
    const all = {
      ...(where && { where }),
      ...(search !== undefined && { search }),
      limit: maxLimit,
    }
    const first = new FindQuery(this.#context, this.#type, all)
    let count = 0
    for (let query: FindQuery | undefined = first; query; ) {
      const { data, next }: Page<Row> = await query.once()
      count += data.length
      query =
        next === null
          ? undefined
          : new FindQuery(this.#context, this.#type, { ...all, after: next })
    }
    return count
  }
}

const openLive = ({ internals }: FindContext, compiled: CompiledFind, limit: number) =>
  internals.queries.query<RowPage>(compiled.query(limit), compiled.format(limit))

async function readPage(
  context: FindContext,
  compiled: CompiledFind,
  limit: number,
): Promise<Page<Row>> {
  const state = await readOnce(openLive(context, compiled, limit))
  const [page] = state.status === 'ready' ? state.data : []
  const isComplete = state.status === 'ready' && state.complete
  return { data: page?.rows ?? [], next: page?.next ?? null, isComplete }
}

/** Returns the state of a query after one request. Rejects with its error. */
async function readOnce<T>(live: LiveQuery<T>): Promise<QueryState<T>> {
  await live.refresh()
  const state = live.get()
  if (state.status === 'error') throw state.error
  return state
}

const loadingState = (data: readonly Row[]): TypedState<Row> => ({
  status: 'loading',
  data,
  hasMore: false,
  next: null,
  isComplete: false,
  error: undefined,
})

function toTypedState(state: QueryState<RowPage>, previous: readonly Row[]): TypedState<Row> {
  if (state.status === 'loading') return loadingState(previous)
  const [page] = state.data ?? []
  const { rows, next } = page ?? { rows: previous, next: null }
  const data = reuseRows(previous, rows)
  const known = { data, next, hasMore: next !== null }
  return state.status === 'error'
    ? { ...known, status: 'error', isComplete: false, error: state.error }
    : { ...known, status: 'ready', isComplete: state.complete, error: undefined }
}

/** Replaces rows by equal previous objects, and an unchanged list by the previous list. */
function reuseRows(previous: readonly Row[], rows: readonly Row[]): readonly Row[] {
  const known = new Map(previous.map((row, i) => [row.id ?? i, row]))
  const reused = rows.map((row, i) => reuseEqualParts(known.get(row.id ?? i), row))
  const isSame = reused.length === previous.length && reused.every((row, i) => row === previous[i])
  return isSame ? previous : reused
}

function refuse(message: string): never {
  throw new WeftError('invalid', message)
}
