import { type Id, isReal } from '../graph/id.ts'
import type { Answer, Query } from '../query/query.ts'
import { isRecord, listOf, malformed } from './json.ts'

/**
 * A query in the words of the wire, with more said of each node. Records made here may be asked about before
 * their local ids mean anything to the server. The answer always comes as ids.
 */
export const queryRequest = (
  q: Query,
  real: (id: Id) => Id,
  more?: (node: Query, real: (id: Id) => Id) => object,
): object => ({
  type: q.type,
  conceptIds: q.conceptIds?.map(real).filter(isReal),
  typeConnection: q.connection,
  reverse: q.reverse,
  selectors: q.selectors,
  freeschemaQueries: q.hops?.map((hop) => queryRequest(hop, real, more)),
  order: q.order,
  page: q.page,
  inpage: q.pageSize,
  limit: q.limit,
  name: q.name,
  outputFormat: 6,
  ...more?.(q, real),
})

/** Reads the answer to a query. */
export function answerOf(json: unknown, q: Query): Answer {
  if (!isRecord(json)) return malformed('a query answer', json)
  const ids = (key: string) => listOf(json[key] ?? []) as Id[]
  const roots = ids('mainCompositionIds')
  const { mainCount: total = roots.length } = json as { mainCount?: number }
  return {
    roots,
    links: ids('linkers'),
    reverse: ids('reverse'),
    counts: (ids('countinfo') as unknown as string[]).map(countOf),
    total,
    order: q.order ?? 'DESC',
  }
}

function countOf(text: string): { of: Id; type: Id; n: number } {
  const [of = 0, type = 0, n] = text.split('_').map(Number)
  return n === undefined ? malformed('a count', text) : { of, type, n }
}
