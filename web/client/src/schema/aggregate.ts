import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { compileFind, FindQuery } from './find.ts'
import { type CompiledFind, type FindContext, maxLimit } from './find-parts.ts'
import type { TypeModel } from './model.ts'
import { compareValues, type Row } from './rows.ts'
import type { Where } from './where.ts'

/*
 * `client.aggregate`: finds all matching records, as `find` does, and groups them in the browser. All matching records
 * are therefore loaded. If there are more than 9,999, the query fails with `tooLarge`. Groups are live, and include
 * pending writes.
 */

export interface AggregateInput {
  readonly where?: Where
  readonly groupBy?: readonly string[]
  readonly sum?: readonly string[]
  readonly avg?: readonly string[]
  readonly min?: readonly string[]
  readonly max?: readonly string[]
  /** The maximum number of groups to return; the largest groups are kept. */
  readonly limit?: number
}

const optionNames = ['where', 'groupBy', 'sum', 'avg', 'min', 'max', 'limit']

/** Creates a query of `client.aggregate`. Throws `invalid` for malformed options. */
export function createAggregateQuery(
  context: FindContext,
  typeName: string,
  options: AggregateInput,
): FindQuery {
  const type = context.schema.type(typeName)
  for (const name of Object.keys(options))
    if (!optionNames.includes(name))
      throw new WeftError('invalid', `${JSON.stringify(name)} is not an option of aggregate`)
  return new AggregateQuery(context, type, {}, compileAggregate(context, type, options))
}

class AggregateQuery extends FindQuery {
  /** Returns the number of groups. */
  override async count(): Promise<number> {
    return (await this.once()).data.length
  }
}

function compileAggregate(
  context: FindContext,
  type: TypeModel,
  options: AggregateInput,
): CompiledFind {
  const { where, groupBy = [], sum = [], avg = [], min = [], max = [] } = options
  const isLink = (name: string) => Object.hasOwn(type.links, name)
  const links = groupBy.filter(isLink).map((name) => [name, { select: [] }])
  const fields = [...groupBy.filter((name) => !isLink(name)), ...sum, ...avg, ...min, ...max]
  const compiled = compileFind(context, type, {
    ...(where && { where }),
    with: Object.fromEntries(links),
    select: [...new Set(fields)],
  })
  const key = `aggregate ${JSON.stringify(options)}`
  const format = compiled.format(maxLimit)
  const toRows: typeof format.toRows = (answer, run) => {
    if (answer.roots.length > maxLimit)
      throw new WeftError('tooLarge', `aggregate reads at most ${maxLimit} records`)
    const [page] = format.toRows(answer, run) as [{ rows: readonly Row[] }]
    return [{ rows: groupRows(page.rows, options).slice(0, options.limit), next: null }]
  }
  return { ...compiled, query: () => compiled.query(maxLimit), format: () => ({ key, toRows }) }
}

/** Groups rows and returns the largest groups first. Without `groupBy` all rows are one group. */
function groupRows(rows: readonly Row[], options: AggregateInput): Row[] {
  const { groupBy = [], sum = [], avg = [], min = [], max = [] } = options
  const valueIn = (row: Row, name: string) => {
    const value = row[name]
    const isRecord = typeof value === 'object' && value !== null && 'id' in value
    return isRecord ? (value.id as Id) : (value ?? null)
  }
  const groups = new Map<string, Row[]>(groupBy.length === 0 ? [['[]', []]] : [])
  for (const row of rows) {
    const key = JSON.stringify(groupBy.map((name) => valueIn(row, name)))
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  const result = [...groups.values()].map((group) => {
    const [first] = group
    const key = groupBy.map((name) => [name, first && valueIn(first, name)])
    return {
      ...Object.fromEntries(key),
      count: group.length,
      ...(options.sum && { sum: computeEach(sum, group, total) }),
      ...(options.avg && {
        avg: computeEach(avg, group, (values: readonly number[]) => total(values) / values.length),
      }),
      ...(options.min && { min: computeEach(min, group, (values) => extreme(values, 1)) }),
      ...(options.max && { max: computeEach(max, group, (values) => extreme(values, -1)) }),
    } as unknown as Row & { readonly count: number }
  })
  return result.sort((a, b) => b.count - a.count)
}

/** Computes a result for each named field from its values in a group; null if the field has no values. */
const computeEach = <T>(
  names: readonly string[],
  group: readonly Row[],
  compute: (values: readonly T[]) => unknown,
): object =>
  Object.fromEntries(
    names.map((name) => {
      const values = group.flatMap((row) => ((row[name] ?? null) === null ? [] : (row[name] as T)))
      return [name, values.length > 0 ? compute(values) : null]
    }),
  )

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

const extreme = (values: readonly unknown[], sign: number): unknown =>
  values.reduce((best, value) => (compareValues(value, best, sign) < 0 ? value : best))
