import { type Id, isReal } from '../graph/id.ts'
import type { Query } from '../query/query.ts'

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
