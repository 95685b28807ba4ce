import type { Connection } from '../model/connection.ts'
import type { Id } from '../model/id.ts'
import { connectionTypeOf, linksOfHop } from './run.ts'
import type { Source } from './source.ts'
import type { Node } from './tree.ts'

/** Returns the end of a connection that a hop leads to. */
export const farOf = (hop: Node, c: Connection): Id => (hop.query.reverse ? c.from : c.to)
/** Returns the end of a connection that a hop starts from. */
export const nearOf = (hop: Node, c: Connection): Id => (hop.query.reverse ? c.to : c.from)

const isSelf = (hop: Node): boolean => hop.query.connection === 'self'

/** Lists all connections of a hop from some concepts, up to its depth, ignoring pages. */
export function reachLinks(graph: Source, hop: Node, from: Iterable<Id>): Connection[] {
  const links: Connection[] = []
  let level = new Set(from)
  const seen = new Set(level)
  for (let depthLeft = hop.query.depth || 1; depthLeft > 0 && level.size > 0; depthLeft--) {
    const next = new Set<Id>()
    for (const id of level) {
      for (const c of linksOfHop(graph, hop.query, id)) {
        links.push(c)
        const to = farOf(hop, c)
        if (depthLeft > 1 && !seen.has(to)) next.add(to)
      }
    }
    for (const id of next) seen.add(id)
    level = next
  }
  return links
}

/** Returns the concepts from which a hop leads to a concept in `to`; only candidates, if given. */
export function reachBack(
  graph: Source,
  hop: Node,
  to: Iterable<Id>,
  candidates?: ReadonlySet<Id>,
): Set<Id> {
  if (isSelf(hop)) return containersOf(graph, to, { isDirect: hop.query.direct, candidates })
  const found = new Set<Id>()
  const { reverse } = hop.query
  const type = connectionTypeOf(graph, hop.query)
  if (type === undefined) return found
  let level = to
  for (let depthLeft = hop.query.depth || 1; depthLeft > 0; depthLeft--) {
    const next: Id[] = []
    for (const id of level) {
      for (const c of reverse ? graph.out(id, type) : graph.in(id, type)) {
        const from = nearOf(hop, c)
        if (depthLeft > 1 && !found.has(from)) next.push(from)
        found.add(from)
      }
    }
    level = next
  }
  return candidates ? intersect(found, candidates) : found
}

/** Returns the ids that are in both sets. */
export const intersect = (some: Iterable<Id>, others: ReadonlySet<Id>): Set<Id> => {
  const both = new Set<Id>()
  for (const id of some) if (others.has(id)) both.add(id)
  return both
}

/** Groups items by key. */
export function groupBy<K, V>(items: Iterable<V>, keyOf: (item: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/**
 * Returns the compositions that contain a given concept at any depth, or directly if the hop is direct; only
 * candidates, if given.
 */
function containersOf(
  graph: Source,
  inside: Iterable<Id>,
  {
    isDirect,
    candidates,
  }: { isDirect?: boolean | undefined; candidates?: ReadonlySet<Id> | undefined },
): Set<Id> {
  const found = new Set<Id>()
  for (const id of inside) {
    for (const c of graph.in(id)) {
      const main = c.type
      if (found.has(main) || (candidates && !candidates.has(main))) continue
      if (!graph.concept(main)?.composition) continue
      if (c.from === main || (!isDirect && isInside(graph, c.from, main))) found.add(main)
    }
  }
  return found
}

/**
 * Reports whether a composition contains a concept. A path through a concept with a value does not count, because a
 * value contains nothing.
 */
function isInside(graph: Source, id: Id, main: Id): boolean {
  const containers = new Set([id])
  for (const container of containers) {
    if (container === main) return true
    if (graph.concept(container)?.value) continue
    for (const c of graph.in(container, main)) containers.add(c.from)
  }
  return false
}

/** A concept, either inside one composition or outside all of them. A walk inside a composition stays in it. */
type Place = Id | string

/** The connections of a hop from all concepts of the parent node. */
export class Traversal {
  readonly links: readonly Connection[]
  readonly #hop: Node
  readonly #depth: number

  constructor(hop: Node, links: readonly Connection[]) {
    this.#hop = hop
    this.links = links
    this.#depth = isSelf(hop) && !hop.query.direct ? Number.POSITIVE_INFINITY : hop.query.depth || 1
  }

  /** Returns the concepts from which a walk leads to a target. */
  startsLeadingTo(targets: ReadonlySet<Id>): Set<Id> {
    const leading = new Set<Id>()
    if (this.#depth === 1) {
      for (const c of this.links)
        if (targets.has(farOf(this.#hop, c))) leading.add(nearOf(this.#hop, c))
      return leading
    }
    const distances = this.#distancesTo(targets)
    for (const c of this.links) {
      const n = distances.get(this.#far(c))
      if (n !== undefined && n < this.#depth && this.#isStart(c)) leading.add(nearOf(this.#hop, c))
    }
    return leading
  }

  /** Lists the connections on walks from some concepts to a target. */
  linksBetween(from: ReadonlySet<Id>, targets: ReadonlySet<Id>): Connection[] {
    const hop = this.#hop
    if (this.#depth === 1)
      return this.links.filter((c) => from.has(nearOf(hop, c)) && targets.has(farOf(hop, c)))
    const distances = this.#distancesTo(targets)
    const fromStart = new Map<Place, number>()
    for (const c of this.links)
      if (this.#isStart(c) && from.has(nearOf(hop, c))) fromStart.set(this.#near(c), 0)
    this.#measureDistances(fromStart, this.#near, this.#far)
    return this.links.filter((c) => {
      const [before, after] = [fromStart.get(this.#near(c)), distances.get(this.#far(c))]
      return before !== undefined && after !== undefined && before + after < this.#depth
    })
  }

  /** Returns the number of connections from each place to the nearest target. */
  #distancesTo(targets: ReadonlySet<Id>): Map<Place, number> {
    const distances = new Map<Place, number>()
    for (const c of this.links) if (targets.has(farOf(this.#hop, c))) distances.set(this.#far(c), 0)
    this.#measureDistances(distances, this.#far, this.#near)
    return distances
  }

  /** Adds the distances of all places, by breadth-first search from those with distance 0. */
  #measureDistances(
    distance: Map<Place, number>,
    from: (c: Connection) => Place,
    to: (c: Connection) => Place,
  ): void {
    const next = groupBy(this.links, from)
    for (const [place, n] of distance) {
      for (const c of next.get(place) ?? []) {
        const end = to(c)
        if (!distance.has(end)) distance.set(end, n + 1)
      }
    }
  }

  readonly #near = (c: Connection): Place => this.#place(nearOf(this.#hop, c), c)
  readonly #far = (c: Connection): Place => this.#place(farOf(this.#hop, c), c)

  #place(id: Id, c: Connection): Place {
    return isSelf(this.#hop) ? `${id} ${c.type}` : id
  }

  /** Reports whether a walk can start with a connection. */
  #isStart(c: Connection): boolean {
    return !isSelf(this.#hop) || c.from === c.type
  }
}
