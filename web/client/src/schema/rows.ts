import { read } from '../composition/read.ts'
import { byAge, type Reader } from '../composition/reader.ts'
import type { Connection } from '../model/connection.ts'
import { WeftError } from '../model/error.ts'
import { anonymous } from '../model/fixed.ts'
import type { Id } from '../model/id.ts'
import type { Answer, Query } from '../query/query.ts'
import { groupBy } from '../query/traversal.ts'
import { decodeRecord } from './decode.ts'
import type { FieldData } from './fields.ts'
import type { LinkModel, SchemaModel, TypeModel } from './model.ts'
import { isPlainRecord, type StoredRecord, storedIn } from './values.ts'
import { type CompiledWhere, compileWhere, type Where } from './where.ts'

/*
 * Typed rows: `planRows` and `rowHops` turn `with` and `select` into hops of a query, and `RowReader` reads the rows of its
 * answer.
 *
 * The query loads the whole record of each row, and all connections of the links in `with`. Rows are built only from
 * the connections of the answer, because other loaded connections may be out of date. Conditions and orders inside
 * `with` are applied here.
 *
 * Costs one visit of each value of the records, and one query on the graph of the page for each condition in `with`.
 */

export type Row = Readonly<Record<string, unknown>> & { readonly id: Id }
type OrderBy = Readonly<Record<string, unknown>>

interface MutableRow extends Record<string, unknown> {
  readonly id: Id
  _count?: object
  _createdAt?: Date
  _owner?: string | null
}

/** The fields, links and counts that rows of a type contain. */
export interface RowPlan {
  readonly type: TypeModel
  /** Names of the fields; undefined for all fields. */
  readonly select: readonly string[] | undefined
  readonly links: readonly LinkPlan[]
  readonly counts: readonly CountPlan[]
  readonly hasCounts: boolean
  readonly hasCreatedAt: boolean
  readonly hasOwner: boolean
}

interface LinkPlan {
  readonly link: LinkModel
  /** The plans of the target types by their names in the store. */
  readonly targets: ReadonlyMap<string, RowPlan>
  readonly where: CompiledWhere | undefined
  readonly orderBy: OrderBy | undefined
  readonly limit: number | undefined
}

interface CountPlan {
  readonly link: LinkModel
  readonly where: CompiledWhere | undefined
}

export interface RowOptions {
  readonly where?: Where
  readonly with?: Readonly<Record<string, unknown>>
  readonly select?: readonly string[]
  readonly orderBy?: OrderBy
  readonly limit?: number
}

/** Creates the plan for rows of a type. Throws `invalid` for names that are not in the schema. */
export function planRows(schema: SchemaModel, type: TypeModel, options: RowOptions): RowPlan {
  const { _count, _createdAt, _owner, ...links } = options.with ?? {}
  const { select } = options
  for (const name of select ?? [])
    if (!Object.hasOwn(type.fields, name))
      refuse(`${type.name} has no field ${JSON.stringify(name)}`)
  const counted = Object.entries(isPlainRecord(_count) ? _count : {})
  return {
    type,
    select,
    links: Object.entries(links).flatMap(([name, option]) =>
      option === undefined || option === false ? [] : planLink(schema, type, name, option),
    ),
    counts: counted.flatMap(([name, option]) =>
      option === undefined || option === false ? [] : planCount(schema, type, name, option),
    ),
    hasCounts: _count !== undefined,
    hasCreatedAt: _createdAt === true,
    hasOwner: _owner === true,
  }
}

function planLink(schema: SchemaModel, type: TypeModel, name: string, option: unknown): LinkPlan {
  const link = linkOf(type, name)
  const options = (isPlainRecord(option) ? option : {}) as RowOptions
  for (const key of Object.keys(options))
    if (!['where', 'with', 'select', 'orderBy', 'limit'].includes(key))
      refuse(`with.${name} has no option ${JSON.stringify(key)}`)
  const { where, orderBy, limit } = options
  const plans = link.targets.map((target) => planRows(schema, schema.type(target), options))
  const [plan] = plans
  return {
    link,
    targets: new Map(plans.map((plan) => [plan.type.storeName, plan])),
    where: where && plan && compileLinked(schema, plan.type, where, `with.${name}`),
    orderBy,
    limit,
  }
}

function planCount(schema: SchemaModel, type: TypeModel, name: string, option: unknown): CountPlan {
  const link = linkOf(type, name)
  const { where } = (isPlainRecord(option) ? option : {}) as RowOptions
  const [target = ''] = link.targets
  return {
    link,
    where: where && compileLinked(schema, schema.type(target), where, `_count.${name}`),
  }
}

/** Compiles conditions on linked records, which are applied to the records by their ids. */
const compileLinked = (
  schema: SchemaModel,
  type: TypeModel,
  where: Where,
  at: string,
): CompiledWhere => compileWhere(schema, type, where, { path: `${at}.where`, filtersOnly: true })

function linkOf(type: TypeModel, name: string): LinkModel {
  const link = Object.hasOwn(type.links, name) ? type.links[name] : undefined
  return link ?? refuse(`${type.name} has no link ${JSON.stringify(name)}`)
}

/** Returns the hops that load the linked records and counts of rows. */
export function rowHops(plan: RowPlan): readonly Query[] {
  const links = plan.links.map(({ link, targets, where, orderBy, limit }): Query => {
    const inner = [...targets.values()].flatMap(rowHops)
    const isPaged = link.isMany && limit !== undefined && !where && !orderBy
    return {
      ...hopOf(link),
      include: true,
      selectors: ['self'],
      hops: [...inner, ...(where?.linkHops ?? [])],
      ...(isPaged && { limit: true, pageSize: limit }),
    }
  })
  const counts = plan.counts.map(
    ({ link, where }): Query =>
      where || !canAggregate(plan, link)
        ? { ...hopOf(link), include: true, selectors: ['self'], hops: where?.linkHops ?? [] }
        : { ...hopOf(link), aggregate: 'count' },
  )
  return [...links, ...counts]
}

const hopOf = ({ connection, isReverse }: LinkModel): Query => ({
  connection,
  ...(isReverse && { reverse: true }),
})

/**
 * Reports whether the server can count a link. An answer has one number for both directions of a connection, so rows
 * that need the counts of both directions are counted in the browser.
 */
const canAggregate = ({ counts }: RowPlan, { connection, isReverse }: LinkModel): boolean =>
  !counts.some(({ link }) => link.connection === connection && link.isReverse !== isReverse)

/** Reports whether rows need the filter engine, although the query itself has no filters. */
export const needsFilterEngine = ({ links, counts }: RowPlan): boolean =>
  counts.length > 0 ||
  links.some(
    ({ where, targets }) => where !== undefined || [...targets.values()].some(needsFilterEngine),
  )

/** Builds the rows of one answer. */
export class RowReader {
  readonly #graph: Reader
  readonly #answer: Answer
  readonly #run: (query: Query) => Answer
  readonly #warn: (message: string) => void
  /** The connections of the answer by their sources and by their targets, oldest first. */
  readonly #out: ReadonlyMap<Id, readonly Connection[]>
  readonly #in: ReadonlyMap<Id, readonly Connection[]>
  /** Reads concepts from the graph, and only the connections of the answer. */
  readonly #reader: Reader

  constructor(
    graph: Reader,
    answer: Answer,
    run: (query: Query) => Answer,
    warn: (message: string) => void,
  ) {
    this.#graph = graph
    this.#answer = answer
    this.#run = run
    this.#warn = warn
    const links = answer.links.toSorted(byAge).flatMap((id) => graph.connection(id) ?? [])
    this.#out = groupBy(links, (link) => link.from)
    this.#in = answer.reverse.length > 0 ? groupBy(links, (link) => link.to) : new Map()
    this.#reader = {
      concept: (id) => graph.concept(id),
      out: (id: Id, type: Id) => ofType(this.#out.get(id), type),
    } as Reader
  }

  /** Returns the row of a record; undefined if the record is not loaded or has another type. */
  row(id: Id, plan: RowPlan): Row | undefined {
    const concept = this.#graph.concept(id)
    const { type } = plan
    if (!concept || this.#graph.concept(concept.type)?.value !== type.storeName) return undefined
    const composition = read(this.#reader, concept.id, 'withIds')?.[type.storeName]
    const stored = (typeof composition === 'object' ? composition : {}) as StoredRecord
    const { value, malformed } = decodeRecord(type.fields, stored)
    for (const path of malformed)
      this.#warn(
        `${type.name} ${id}: the stored value of ${path} does not fit the schema; it is read as null`,
      )
    const row: MutableRow = { id: concept.id }
    for (const name of plan.select ?? Object.keys(type.fields)) {
      const field = type.fields[name] as FieldData
      // An absent value of a restricted field may exist but be hidden from this user.
      const isHidden = field.restricted && storedIn(name, field, stored) === undefined
      row[name] = isHidden ? undefined : value[name]
    }
    for (const link of plan.links) row[link.link.name] = this.#linked(concept.id, link)
    if (plan.hasCounts)
      row._count = Object.fromEntries(
        plan.counts.map((count) => [count.link.name, this.#count(concept.id, plan, count)]),
      )
    if (plan.hasCreatedAt) row._createdAt = new Date(concept.created)
    if (plan.hasOwner) row._owner = concept.owner === anonymous ? null : String(concept.owner)
    return row
  }

  #linked(id: Id, { link, targets, where, orderBy, limit }: LinkPlan): unknown {
    const ids = this.#filtered(this.#linkedIds(id, link), where)
    const isUnion = targets.size > 1
    const rows = ids.flatMap((target) => {
      const type = this.#graph.concept(this.#graph.concept(target)?.type ?? 0)?.value ?? ''
      const plan = targets.get(type)
      const row = plan && this.row(target, plan)
      return row ? [isUnion ? { _type: plan.type.name, ...row } : row] : []
    })
    if (!link.isMany) return rows[0] ?? null
    const ordered = orderBy ? rows.sort(compareRows(orderBy)) : rows
    return limit === undefined ? ordered : ordered.slice(0, limit)
  }

  /** Returns the linked records, the newest connection first. */
  #linkedIds(id: Id, { connection, isReverse }: LinkModel): Id[] {
    const type = this.#graph.type(connection)
    if (type === undefined) return []
    const links = ofType((isReverse ? this.#in : this.#out).get(id), type)
    const ends = links.map((link) => (isReverse ? link.from : link.to))
    return [...new Set(ends.reverse())]
  }

  #filtered(ids: Id[], where: CompiledWhere | undefined): Id[] {
    if (!where?.logic || ids.length === 0) return ids
    const { hops, filters, logic } = where
    const passed = this.#run({ conceptIds: ids, pageSize: ids.length, hops, filters, logic })
    const kept = new Set(passed.roots)
    return ids.filter((id) => kept.has(id))
  }

  #count(id: Id, plan: RowPlan, { link, where }: CountPlan): number {
    if (where || !canAggregate(plan, link))
      return this.#filtered(this.#linkedIds(id, link), where).length
    const type = this.#graph.type(link.connection)
    const canonical = (other: Id) => this.#graph.concept(other)?.id
    const count = this.#answer.counts.find(
      (count) => canonical(count.of) === id && canonical(count.type) === type,
    )
    return count?.n ?? 0
  }
}

const ofType = (links: readonly Connection[] = [], type: Id): readonly Connection[] =>
  links.every((link) => link.type === type) ? links : links.filter((link) => link.type === type)

/** Returns the comparison of rows for an order. Empty values come last in both directions. */
function compareRows(orderBy: OrderBy): (a: Row, b: Row) => number {
  const keys = Object.entries(orderBy)
  return (a, b) => {
    for (const [name, direction] of keys) {
      const sign = direction === 'desc' ? -1 : 1
      const order =
        name === '_createdAt' ? sign * byAge(a.id, b.id) : compareValues(a[name], b[name], sign)
      if (order !== 0) return order
    }
    return 0
  }
}

/** Compares values for sorting: ascending for `sign` 1, descending for -1. Empty values come last in both cases. */
export function compareValues(a: unknown, b: unknown, sign: number): number {
  const [isEmptyA, isEmptyB] = [a ?? null, b ?? null].map((value) => value === null)
  if (isEmptyA || isEmptyB) return Number(isEmptyA) - Number(isEmptyB)
  const [x, y] = [a, b].map((v) => (typeof v === 'string' ? v.toLowerCase() : v)) as number[]
  return (x as number) < (y as number) ? -sign : (x as number) > (y as number) ? sign : 0
}

function refuse(message: string): never {
  throw new WeftError('invalid', message)
}
