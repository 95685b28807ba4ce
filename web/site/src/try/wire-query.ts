import type { Query } from '@weft/client'

/** Returns a query in the format of the HTTP API, for readers who want to send it themselves. */
export const wireQuery = (q: Query): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify({
      type: q.type,
      conceptIds: q.conceptIds,
      typeConnection: q.connection,
      reverse: q.reverse,
      includeInFilter: q.include,
      depth: q.depth,
      limit: q.limit,
      inpage: q.pageSize,
      order: q.order,
      selectors: q.selectors,
      filterLogic: q.logic,
      filters: q.filters?.map(({ name, op = '=', search }) => ({
        name,
        logicoperator: op,
        search,
      })),
      freeschemaQueries: q.hops?.map(wireQuery),
    }),
  )
