import type { Id } from '../model/id.ts'
import { searchText } from '../query/filter.ts'
import { realCursor } from '../query/order.ts'
import type { AnswerDetails, Groups, PlanStep, Query } from '../query/query.ts'

/*
 * The parts of a query and an answer that only filtered and aggregated queries have. They are separate from
 * `query-codec.ts` because they are loaded with the filter engine.
 */

/** Encodes the filters, limits and aggregates of one node of a query. Local ids in filters become real ids. */
export const encodeFilterFields = (q: Query, real: (id: Id) => Id): object => ({
  filters: q.filters?.map((f) => ({
    name: f.name,
    operateon: f.on,
    type: f.type,
    logicoperator: f.op,
    search: f.type === 'id' && Number(f.search) < 0 ? `${real(Number(f.search))}` : searchText(f),
  })),
  isOldConnectionType: q.legacy,
  filterLogic: q.logic,
  filterAncestor: q.ancestor,
  includeInFilter: q.include,
  orderBy: q.orderBy,
  after: encodeCursor(q, real),
  countAll: q.countAll,
  direct: q.direct,
  depth: q.depth,
  aggregate: q.aggregate,
  explain: q.explain,
  warnings: q.warnings,
})

const encodeCursor = ({ after, orderBy }: Query, real: (id: Id) => Id) => {
  if (!after) return undefined
  return orderBy?.length ? realCursor(String(after), real) : real(Number(after))
}

/** Decodes the aggregates, the plan, and whether the total is a lower bound. */
export function decodeAnswerDetails(json: unknown): AnswerDetails {
  const { mainCountAtLeast: atLeast, groups, next, plan, planSteps, warnings } = json as WireDetails
  return { atLeast, groups, next, plan, planSteps, warnings }
}

interface WireDetails {
  readonly mainCountAtLeast?: boolean
  readonly groups?: readonly Groups[]
  readonly next?: string
  readonly plan?: string
  readonly planSteps?: readonly PlanStep[]
  readonly warnings?: readonly string[]
}
