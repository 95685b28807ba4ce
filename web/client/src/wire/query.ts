import type { Id } from '../graph/id.ts'
import type { Answer, Query } from '../query/query.ts'
import { isRecord, listOf, malformed } from './http.ts'

/** A query in the words of the wire. The answer always comes as ids. */
export const queryRequest = (q: Query): object => ({
  type: q.type,
  conceptIds: q.conceptIds,
  typeConnection: q.connection,
  reverse: q.reverse,
  selectors: q.selectors,
  freeschemaQueries: q.hops?.map(queryRequest),
  order: q.order,
  page: q.page,
  inpage: q.pageSize,
  limit: q.limit,
  name: q.name,
  outputFormat: 6,
})

/** Reads the answer to a query. */
export function answerOf(json: unknown, q: Query): Answer {
  if (!isRecord(json)) return malformed('the answer to a query', json)
  const ids = (key: string) => listOf(json[key] ?? []) as Id[]
  const roots = ids('mainCompositionIds')
  const { mainCount } = json as { mainCount?: unknown }
  return {
    roots,
    links: ids('linkers'),
    reverse: ids('reverse'),
    counts: (ids('countinfo') as unknown as string[]).map(countOf),
    total: typeof mainCount === 'number' ? mainCount : roots.length,
    order: q.order ?? 'DESC',
  }
}

function countOf(text: string): { of: Id; type: Id; n: number } {
  const [of, type, n] = text.split('_').map(Number)
  if (of === undefined || type === undefined || n === undefined) return malformed('a count', text)
  return { of, type, n }
}
