import type { Query } from '@weft/client'
import type { WireFilter, WireOrder, WireQuery } from './wire.ts'

type ClientFilter = NonNullable<Query['filters']>[number]
type ClientOrder = NonNullable<Query['orderBy']>[number]

/**
 * Converts a query of the HTTP API to a query of `@weft/client`, where members have shorter names. Members that the server ignores
 * are left out. The format of the answer is not part of a query of the client.
 */
export function clientQuery(node: WireQuery): Query {
  return definedOnly({
    type: node.type,
    conceptIds: node.conceptIds,
    connection: node.typeConnection,
    reverse: node.reverse,
    direct: node.direct,
    legacy: node.isOldConnectionType,
    selectors: node.selectors,
    hops: node.freeschemaQueries?.map(clientQuery),
    order: node.order?.toUpperCase() as Query['order'],
    orderBy: node.orderBy?.map(clientOrder),
    page: node.page,
    pageSize: node.inpage,
    limit: node.limit,
    after: node.after,
    countAll: node.countAll,
    name: node.name,
    filters: node.filters?.map(clientFilter),
    logic: node.filterLogic,
    ancestor: node.filterAncestor,
    include: node.includeInFilter,
    depth: node.depth,
    aggregate: node.aggregate?.toLowerCase() as Query['aggregate'],
    explain: node.explain,
    warnings: node.warnings,
  })
}

const clientOrder = (key: WireOrder): ClientOrder =>
  definedOnly({
    field: key.field,
    connection: key.connection,
    direction: key.direction?.toUpperCase() as ClientOrder['direction'],
    kind: key.kind?.toLowerCase() as ClientOrder['kind'],
  })

const clientFilter = (filter: WireFilter): ClientFilter =>
  definedOnly({
    name: filter.name ?? '',
    on: filter.operateon,
    type: filter.type,
    op: filter.logicoperator?.toLowerCase() as ClientFilter['op'],
    search: filter.search,
  })

/** Returns an object without the members that are undefined. */
function definedOnly<T extends object>(object: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
}
