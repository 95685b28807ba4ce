import type { Id } from '../graph/id.ts'
import type { Groups, More, Query } from '../query/query.ts'

/** What only some queries say, of a node in the words of the wire. */
export const moreAsked = (q: Query, real: (id: Id) => Id): object => ({
  filters: q.filters?.map((f) => ({
    name: f.name,
    operateon: f.on,
    type: f.type,
    logicoperator: f.op,
    search: f.type === 'id' && Number(f.search) < 0 ? `${real(Number(f.search))}` : f.search,
  })),
  isOldConnectionType: q.legacy,
  filterLogic: q.logic,
  filterAncestor: q.ancestor,
  includeInFilter: q.include,
  after: q.after && real(q.after),
  countAll: q.countAll,
  depth: q.depth,
  aggregate: q.aggregate,
  explain: q.explain,
})

/** Reads what only some answers say. */
export function moreTold(json: unknown): More {
  const { mainCountAtLeast: atLeast, groups, plan } = json as Told
  return { atLeast, groups, plan }
}

interface Told {
  readonly mainCountAtLeast?: boolean
  readonly groups?: readonly Groups[]
  readonly plan?: string
}
