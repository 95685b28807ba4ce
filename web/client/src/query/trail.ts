import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'
import { linksOf, typeOf } from './run.ts'
import type { Source } from './source.ts'
import type { Node } from './tree.ts'

/** Where a hop leads along a connection. */
export const far = (hop: Node, c: Connection): Id => (hop.query.reverse ? c.from : c.to)
export const near = (hop: Node, c: Connection): Id => (hop.query.reverse ? c.to : c.from)

const isSelf = (hop: Node): boolean => hop.query.connection === 'self'

/** All connections that a hop comes upon from some concepts, without pages. */
export function comeUpon(graph: Source, hop: Node, from: Iterable<Id>): Connection[] {
  const links: Connection[] = []
  let at = new Set(from)
  const seen = new Set(at)
  for (let left = hop.query.depth || 1; left > 0 && at.size > 0; left--) {
    const next = new Set<Id>()
    for (const id of at) {
      for (const c of linksOf(graph, hop.query, id)) {
        links.push(c)
        const to = far(hop, c)
        if (left > 1 && !seen.has(to)) next.add(to)
      }
    }
    for (const id of next) seen.add(id)
    at = next
  }
  return links
}

/** The concepts, of some or of all, that a hop leads from to one of others. */
export function back(graph: Source, hop: Node, to: Iterable<Id>, of?: ReadonlySet<Id>): Set<Id> {
  if (isSelf(hop)) return holders(graph, to, of)
  const found = new Set<Id>()
  const { reverse } = hop.query
  const type = typeOf(graph, hop.query)
  if (type === undefined) return found
  let at = to
  for (let left = hop.query.depth || 1; left > 0; left--) {
    const next: Id[] = []
    for (const id of at) {
      for (const c of reverse ? graph.out(id, type) : graph.in(id, type)) {
        const from = near(hop, c)
        if (left > 1 && !found.has(from)) next.push(from)
        found.add(from)
      }
    }
    at = next
  }
  return of ? among(found, of) : found
}

/** Those of some that are also among others. */
export const among = (some: Iterable<Id>, others: ReadonlySet<Id>): Set<Id> => {
  const both = new Set<Id>()
  for (const id of some) if (others.has(id)) both.add(id)
  return both
}

/** Lists of what has the same key. */
export function groupBy<K, V>(all: Iterable<V>, keyOf: (one: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>()
  for (const one of all) {
    const key = keyOf(one)
    const list = groups.get(key)
    if (list) list.push(one)
    else groups.set(key, [one])
  }
  return groups
}

/** The compositions inside of which one of some concepts stands. */
function holders(graph: Source, inside: Iterable<Id>, of?: ReadonlySet<Id>): Set<Id> {
  const found = new Set<Id>()
  for (const id of inside) {
    for (const c of graph.in(id)) {
      const main = c.type
      if (found.has(main) || (of && !of.has(main)) || !graph.concept(main)?.composition) continue
      if (c.from === main || isInside(graph, c.from, main)) found.add(main)
    }
  }
  return found
}

/** Says whether a concept is inside a composition and not a text, which holds nothing. */
function isInside(graph: Source, id: Id, main: Id): boolean {
  const above = new Set([id])
  for (const at of above) {
    if (at === main) return true
    if (graph.concept(at)?.value) continue
    for (const c of graph.in(at, main)) above.add(c.from)
  }
  return false
}

/** A concept, inside of a composition or of none: a walk that is in one composition stays there. */
type Place = Id | string

/** The connections that a hop came upon from all that stood above. */
export class Trail {
  readonly links: readonly Connection[]
  readonly #hop: Node
  readonly #depth: number

  constructor(hop: Node, links: readonly Connection[]) {
    this.#hop = hop
    this.links = links
    this.#depth = isSelf(hop) ? Number.POSITIVE_INFINITY : hop.query.depth || 1
  }

  /** The concepts from which the trail leads to one that is good. */
  leading(good: ReadonlySet<Id>): Set<Id> {
    const leading = new Set<Id>()
    if (this.#depth === 1) {
      for (const c of this.links) if (good.has(far(this.#hop, c))) leading.add(near(this.#hop, c))
      return leading
    }
    const left = this.#left(good)
    for (const c of this.links) {
      const n = left.get(this.#far(c))
      if (n !== undefined && n < this.#depth && this.#begins(c)) leading.add(near(this.#hop, c))
    }
    return leading
  }

  /** The connections on walks that lead from some concepts to a good one. */
  needed(from: ReadonlySet<Id>, good: ReadonlySet<Id>): Connection[] {
    const hop = this.#hop
    if (this.#depth === 1)
      return this.links.filter((c) => from.has(near(hop, c)) && good.has(far(hop, c)))
    const left = this.#left(good)
    const gone = new Map<Place, number>()
    for (const c of this.links)
      if (this.#begins(c) && from.has(near(hop, c))) gone.set(this.#near(c), 0)
    this.#spread(gone, this.#near, this.#far)
    return this.links.filter((c) => {
      const [before, after] = [gone.get(this.#near(c)), left.get(this.#far(c))]
      return before !== undefined && after !== undefined && before + after < this.#depth
    })
  }

  /** How many connections lead from each place to a good one. */
  #left(good: ReadonlySet<Id>): Map<Place, number> {
    const left = new Map<Place, number>()
    for (const c of this.links) if (good.has(far(this.#hop, c))) left.set(this.#far(c), 0)
    this.#spread(left, this.#far, this.#near)
    return left
  }

  /** Goes from places of distance 0 along the connections and notes the distance of the others. */
  #spread(
    distance: Map<Place, number>,
    from: (c: Connection) => Place,
    to: (c: Connection) => Place,
  ): void {
    const next = groupBy(this.links, from)
    for (const [place, n] of distance) {
      for (const c of next.get(place) ?? []) {
        const at = to(c)
        if (!distance.has(at)) distance.set(at, n + 1)
      }
    }
  }

  readonly #near = (c: Connection): Place => this.#place(near(this.#hop, c), c)
  readonly #far = (c: Connection): Place => this.#place(far(this.#hop, c), c)

  #place(id: Id, c: Connection): Place {
    return isSelf(this.#hop) ? `${id} ${c.type}` : id
  }

  /** Says whether a walk begins where the connection does. */
  #begins(c: Connection): boolean {
    return !isSelf(this.#hop) || c.from === c.type
  }
}
