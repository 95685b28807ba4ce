import { type Id, isReal } from '../model/id.ts'
import type { Query } from '../query/query.ts'

/** Wire value of the output format in which the server returns ids only. */
const idsOnly = 6

/**
 * Encodes a query as a request for an answer in ids. Roots that the server does not have yet are left out.
 *
 * @param encodeMore returns further members of each node
 */
export const encodeQuery = (
  q: Query,
  real: (id: Id) => Id,
  encodeMore?: (node: Query, real: (id: Id) => Id) => object,
): object => ({
  type: q.type,
  conceptIds: q.conceptIds?.map(real).filter(isReal),
  typeConnection: q.connection,
  reverse: q.reverse,
  selectors: q.selectors,
  freeschemaQueries: q.hops?.map((hop) => encodeQuery(hop, real, encodeMore)),
  order: q.order,
  page: q.page,
  inpage: q.pageSize,
  limit: q.limit,
  name: q.name,
  outputFormat: idsOnly,
  ...encodeMore?.(q, real),
})
