import { comparison, isSpecial } from './filter.ts'
import { type Key, keyOf } from './fold.ts'
import type { Predicate } from './predicate.ts'
import type { Query } from './query.ts'
import type { Source } from './source.ts'
import { type Clause, layOut, type Match, type Node } from './tree.ts'

/** What may change an answer when it comes, goes or is connected. */
export interface Interest {
  /** The name of the type of a concept or a connection, `''` for those inside of records; undefined for any. */
  readonly type: string | undefined
  /** Of a concept, what it must be like. */
  readonly holds: Predicate
  /** Its value, if it must have one. */
  readonly key?: Key
}

/**
 * What the answer to a query hangs on besides the concepts it speaks of. Connections inside a record are
 * taken to come no later than the values under them.
 */
export function interestsOf(graph: Source, query: Query): Interest[] {
  const { nodes, where } = layOut(graph, query)
  const links = nodes.flatMap((node) => linksOf(node))
  const values = where ? matchesOf(where).flatMap((m) => valuesOf(graph, query, m)) : []
  const roots = holdsOfNothing(where) && query.type ? [{ type: query.type, holds: always }] : []
  return [...links, ...values, ...roots]
}

function linksOf({ query, hops }: Node): Interest[] {
  const names = [...(query.selectors ?? []), query.connection ?? 'self']
  if (query.legacy) names.push('the_connection')
  const links = names.filter((name) => name !== 'self').map((type) => ({ type, holds: always }))
  return query.connection === 'self' && hops.length > 0
    ? [{ type: '', holds: always }, ...links]
    : links
}

const matchesOf = (clause: Clause): readonly Match[] =>
  clause.op === 'leaf' ? clause.matches : clause.of.flatMap(matchesOf)

function valuesOf(graph: Source, root: Query, { filter, node }: Match): Interest[] {
  // What a name stands for may not be known yet.
  const holds = filter.type === 'type_concept' ? always : comparison(graph, filter)
  if (filter.type && !isSpecial(filter)) {
    const equal = (filter.op ?? '=') === '='
    return [{ type: filter.type, holds, ...(equal && { key: keyOf(filter.search ?? '') }) }]
  }
  if (!node.above) return [{ type: root.type, holds }]
  return node.query.connection === 'self' ? [{ type: undefined, holds }] : []
}

/** Says whether a clause may be true of a root that leads to nothing. */
function holdsOfNothing(clause: Clause | undefined): boolean {
  if (!clause || clause.op === 'not') return true
  if (clause.op === 'leaf') return false
  return clause.op === 'or' ? clause.of.some(holdsOfNothing) : clause.of.every(holdsOfNothing)
}

const always = (): boolean => true
