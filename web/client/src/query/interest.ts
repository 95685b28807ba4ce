import { comparisonPredicate, isSpecial, operatorOf, searchText } from './filter.ts'
import type { Predicate } from './predicate.ts'
import type { Query } from './query.ts'
import type { Source } from './source.ts'
import { bindQuery, type Clause, type Match, type Node } from './tree.ts'
import { comparisonKey, type Key } from './values.ts'

/** A class of concepts and connections whose creation, removal or linking may change an answer. */
export interface Interest {
  /** Type name of the concept or connection; `''` for connections inside records, undefined for any type. */
  readonly type: string | undefined
  /** The condition on a concept. */
  readonly holds: Predicate
  /** The key of the only value that can meet the condition, if the condition is an equality. */
  readonly key?: Key
}

/**
 * Collects the interests of a query: the records outside its answer whose changes may affect the answer. Assumes that
 * the connections inside a record are added no later than the values they lead to.
 */
export function collectInterests(graph: Source, query: Query): Interest[] {
  const { nodes, where } = bindQuery(graph, query)
  const links = nodes.flatMap((node) => linkInterests(node))
  const values = where ? listMatches(where).flatMap((m) => valueInterests(graph, query, m)) : []
  const roots =
    matchesUnlinkedRoot(where) && query.type ? [{ type: query.type, holds: always }] : []
  const order = (query.orderBy ?? []).flatMap(({ field, connection }) =>
    [field, connection].flatMap((type) => (type ? { type, holds: always } : [])),
  )
  return [...links, ...values, ...roots, ...order]
}

function linkInterests({ query, hops }: Node): Interest[] {
  const names = [...(query.selectors ?? []), query.connection ?? 'self']
  if (query.legacy) names.push('the_connection')
  const links = names.filter((name) => name !== 'self').map((type) => ({ type, holds: always }))
  return query.connection === 'self' && hops.length > 0
    ? [{ type: '', holds: always }, ...links]
    : links
}

const listMatches = (clause: Clause): readonly Match[] =>
  clause.op === 'leaf' ? clause.matches : clause.of.flatMap(listMatches)

function valueInterests(graph: Source, root: Query, { filter, node }: Match): Interest[] {
  // The named type may not be loaded yet.
  const holds = filter.type === 'type_concept' ? always : comparisonPredicate(graph, filter)
  if (filter.type && !isSpecial(filter)) {
    const equal = operatorOf(filter) === '='
    return [{ type: filter.type, holds, ...(equal && { key: comparisonKey(searchText(filter)) }) }]
  }
  if (!node.parent) return [{ type: root.type, holds }]
  return node.query.connection === 'self' ? [{ type: undefined, holds }] : []
}

/** Reports whether a clause may hold for a root without any connections. */
function matchesUnlinkedRoot(clause: Clause | undefined): boolean {
  if (!clause || clause.op === 'not') return true
  if (clause.op === 'leaf') return false
  return clause.op === 'or'
    ? clause.of.some(matchesUnlinkedRoot)
    : clause.of.every(matchesUnlinkedRoot)
}

const always = (): boolean => true
