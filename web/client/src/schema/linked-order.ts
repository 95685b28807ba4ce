import { byAge } from '../composition/reader.ts'
import type { RowFormat } from '../live/engine.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import type { Query } from '../query/query.ts'
import {
  type CompiledFind,
  type FindContext,
  type FindInput,
  maxLimit,
  type RowPage,
} from './find-parts.ts'
import type { TypeModel } from './model.ts'
import { compareValues, type Row } from './rows.ts'
import type { Cursor } from './types.ts'
import { isPlainRecord } from './values.ts'

/*
 * `orderBy` with a field of a linked record: `{ company: { name: 'asc' }, name: 'asc' }`. The server sorts only by
 * fields of the record itself. All matching records are therefore loaded with their linked records and sorted in the
 * browser. If there are more than `maxLimit`, the query fails with `tooLarge`. A page is a slice of the sorted rows.
 * One answer is read in two formats: `shown` has the rows that the caller asked for, `sorted` has rows with the fields
 * of the order.
 */

/** A field of the record or of a linked record, by which rows are sorted. */
interface SortKey {
  readonly link: string | undefined
  readonly field: string
  /** 1 for ascending, -1 for descending. */
  readonly sign: number
}

type CompileFind = (context: FindContext, type: TypeModel, options: FindInput) => CompiledFind

/** The position of a row in the order. */
interface Place {
  readonly id: Id
  readonly values: readonly unknown[]
}

/** Reports whether an order has a field of a linked record. */
export const hasLinkedOrder = (orderBy: FindInput['orderBy']): boolean =>
  Object.values(orderBy ?? {}).some(isPlainRecord)

/**
 * Compiles options of `find` that order by a linked record. Throws `invalid` for a malformed option; the message names
 * it.
 */
export function compileLinkedOrder(
  compileFind: CompileFind,
  context: FindContext,
  type: TypeModel,
  { orderBy = {}, after, ...options }: FindInput,
): CompiledFind {
  const { keys, age } = sortKeys(context, type, orderBy)
  const byCreation = { orderBy: { _createdAt: age === 1 ? 'asc' : 'desc' } }
  const shown = compileFind(context, type, { ...options, ...byCreation })
  const sorted = compileFind(context, type, {
    select: keys.flatMap(({ link, field }) => (link === undefined ? field : [])),
    with: linksOf(keys),
    ...byCreation,
  })
  const signature = JSON.stringify(orderBy)
  const start = after == null ? undefined : readCursor(after, signature, keys.length)
  const compare = (a: Place, b: Place): number => {
    for (const [i, { sign }] of keys.entries()) {
      const order = compareValues(a.values[i], b.values[i], sign)
      if (order !== 0) return order
    }
    return age * byAge(a.id, b.id)
  }
  const { graph } = context.internals
  const query: Query = {
    ...shown.query(maxLimit),
    hops: [...(shown.query(maxLimit).hops ?? []), ...(sorted.query(maxLimit).hops ?? [])],
  }
  const rowsOf = ({ toRows }: RowFormat, ...given: Parameters<RowFormat['toRows']>) =>
    (toRows(...given) as [RowPage])[0].rows
  const [shownFormat, sortedFormat] = [shown.format(maxLimit), sorted.format(maxLimit)]
  const toRows = (limit: number, ...given: Parameters<RowFormat['toRows']>) => {
    if (given[0].roots.length > maxLimit)
      throw new WeftError(
        'tooLarge',
        `an order by linked records reads at most ${maxLimit} records`,
      )
    const places = new Map(
      rowsOf(sortedFormat, ...given).map((row) => [row.id, placeOf(row, keys)] as const),
    )
    const rows = rowsOf(shownFormat, ...given)
      .flatMap((row) => ({ row, place: places.get(row.id) ?? { id: row.id, values: [] } }))
      .sort((a, b) => compare(a.place, b.place))
      .filter(({ place }) => !start || compare(start, place) < 0)
    const last = rows.length > limit ? rows[limit - 1]?.place : undefined
    const next = last ? writeCursor({ ...last, id: graph.real(last.id) }, signature) : null
    return [{ rows: rows.slice(0, limit).map(({ row }) => row), next }]
  }
  const key = `${shownFormat.key} by ${signature} after ${after}`
  return {
    where: shown.where,
    query: () => query,
    format: (limit) => ({ key: `${key} ${limit}`, toRows: (...given) => toRows(limit, ...given) }),
  }
}

/**
 * Returns the fields of an order, and `age`, the order of records with equal fields: 1 for oldest first, -1 for newest
 * first.
 */
function sortKeys({ schema }: FindContext, type: TypeModel, orderBy: object) {
  const keys: SortKey[] = []
  for (const [name, direction] of Object.entries(orderBy)) {
    if (name === '_createdAt') return { keys, age: signOf(name, direction) }
    if (!isPlainRecord(direction)) {
      keys.push({
        link: undefined,
        field: fieldOf(type, name, name),
        sign: signOf(name, direction),
      })
      continue
    }
    const link = Object.hasOwn(type.links, name) ? type.links[name] : undefined
    if (!link || link.isMany || link.targets.length !== 1)
      return refuse(`orderBy.${name} is not a link to one record of one type`)
    const target = schema.type(link.targets[0] ?? '')
    for (const [field, inner] of Object.entries(direction)) {
      const path = `${name}.${field}`
      keys.push({ link: name, field: fieldOf(target, field, path), sign: signOf(path, inner) })
    }
  }
  return { keys, age: -1 }
}

function fieldOf({ fields }: TypeModel, name: string, path: string): string {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (!field || ['json', 'file', 'list', 'record'].includes(field.kind))
    return refuse(`orderBy.${path} is not a field that has an order`)
  return name
}

function signOf(path: string, direction: unknown): number {
  if (direction !== 'asc' && direction !== 'desc')
    return refuse(`orderBy.${path} is neither "asc" nor "desc"`)
  return direction === 'asc' ? 1 : -1
}

/** Returns the links of an order as options for `with`. */
function linksOf(keys: readonly SortKey[]): Record<string, { select: string[] }> {
  const links: Record<string, { select: string[] }> = {}
  for (const { link, field } of keys) {
    if (link === undefined) continue
    links[link] = { select: [...(links[link]?.select ?? []), field] }
  }
  return links
}

const placeOf = (row: Row, keys: readonly SortKey[]): Place => ({
  id: row.id,
  values: keys.map(({ link, field }) => {
    const owner = link === undefined ? row : (row[link] as Row | null)
    const value = owner?.[field] ?? null
    return value instanceof Date ? value.getTime() : value
  }),
})

const writeCursor = ({ id, values }: Place, signature: string): Cursor =>
  encodeURIComponent(JSON.stringify([signature, id, ...values])) as Cursor

function readCursor(cursor: string, signature: string, count: number): Place {
  let parts: unknown
  try {
    parts = JSON.parse(decodeURIComponent(cursor))
  } catch {
    // `parts` stays undefined, which is refused below.
  }
  const [of, id, ...values] = Array.isArray(parts) ? parts : []
  if (of !== signature || !Number.isSafeInteger(id) || values.length !== count)
    return refuse(`${JSON.stringify(cursor)} is not a cursor of this query`)
  return { id, values }
}

function refuse(message: string): never {
  throw new WeftError('invalid', message)
}
