import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'
import { follow } from './follow.ts'
import type { Gatherer } from './gather.ts'
import { onePage, type Walk } from './run.ts'
import type { Source } from './source.ts'
import { among, comeUpon, far, groupBy, near, Trail } from './trail.ts'
import { type Clause, type Match, type Node, type Tree, way } from './tree.ts'

type Ids = ReadonlySet<Id>

/** A part of the logic whose matches belong to the answer: those of one EXAND, or those of none. */
class Need {
  /** Where the walks to the matches begin. */
  readonly under: Node
  /** The sides of the EXAND, which must be true there; none for the part outside of all. */
  readonly sides: readonly Clause[]
  readonly matches: Match[] = []
  readonly inner: Need[] = []
  /** The hops that these walks take, also to what inner needs are under. */
  readonly along = new Set<Node>()
  /** The concepts that lead to a match. */
  readonly good = new Map<Node, Ids>()
  /** Those of `under` that also pass. */
  passed: Ids = new Set()
  /** Those that walks come upon. */
  readonly kept = new Map<Node, Ids>()

  constructor(under: Node, sides: readonly Clause[]) {
    this.under = under
    this.sides = sides
  }

  /** Takes in what a clause needs that is outside of NOT. */
  add(clause: Clause, not = false): void {
    if (clause.op === 'leaf') {
      if (!not) this.matches.push(...clause.matches)
    } else if (clause.op === 'exand') {
      const inner = new Need(clause.under, clause.of)
      for (const side of clause.of) inner.add(side, not)
      this.inner.push(inner)
    } else {
      for (const side of clause.of) this.add(side, not !== (clause.op === 'not'))
    }
  }

  /** Notes the hops to all matches, here and in the set of all needs. */
  ways(all: Set<Node>): void {
    for (const { node } of this.matches) this.#way(node, all)
    for (const inner of this.inner) {
      this.#way(inner.under, all)
      inner.ways(all)
    }
  }

  #way(to: Node, all: Set<Node>): void {
    for (const hop of way(this.under, to)) {
      this.along.add(hop)
      all.add(hop)
    }
  }
}

/**
 * Brings what of a filtered answer is kept: follows the ways to all matches to their end first, and then drops
 * what does not lead there.
 */
export function keep(walk: Walk, graph: Source, tree: Tree, gatherer: Gatherer, roots: Ids): void {
  if (tree.where) new Keeper(walk, graph, gatherer).keep(tree.root, tree.where, roots)
}

class Keeper {
  readonly #walk: Walk
  readonly #graph: Source
  readonly #gatherer: Gatherer
  readonly #along = new Set<Node>()
  /** All that the ways came upon. */
  readonly #came = new Map<Node, Ids>()
  readonly #trails = new Map<Node, Trail>()

  constructor(walk: Walk, graph: Source, gatherer: Gatherer) {
    this.#walk = walk
    this.#graph = graph
    this.#gatherer = gatherer
  }

  keep(root: Node, where: Clause, roots: Ids): void {
    const top = new Need(root, [])
    top.add(where)
    top.ways(this.#along)
    this.#comeUpon(root, roots)
    this.#good(top, root)
    top.kept.set(root, roots)
    this.#keepAt(root, [top], roots)
  }

  #comeUpon(at: Node, ids: Ids): void {
    this.#came.set(at, ids)
    for (const hop of at.hops) {
      if (!this.#along.has(hop)) continue
      const links = comeUpon(this.#graph, hop, ids)
      this.#trails.set(hop, new Trail(hop, links))
      this.#comeUpon(hop, new Set(links.map((c) => far(hop, c))))
    }
  }

  /** Finds the concepts of a node that lead to a match of a need. */
  #good(need: Need, at: Node): Ids {
    const good = new Set<Id>()
    const add = (ids: Iterable<Id>) => {
      for (const id of ids) good.add(id)
    }
    need.good.set(at, good)
    for (const hop of at.hops) {
      if (need.along.has(hop)) add(this.#trail(hop).leading(this.#good(need, hop)))
    }
    for (const inner of need.inner) {
      if (inner.under !== at) continue
      const below = this.#good(inner, at)
      inner.passed = this.#gatherer.among({ op: 'and', of: inner.sides }, at, below)
      add(inner.passed)
    }
    for (const match of need.matches) {
      if (match.node === at) add(this.#holding(match, at))
    }
    return good
  }

  #holding(match: Match, at: Node): Id[] {
    return [...(this.#came.get(at) ?? [])].filter((id) => {
      const c = this.#graph.concept(id)
      return c && match.holds(c)
    })
  }

  /** Brings what the needs that have come to a node need from there on. */
  #keepAt(at: Node, needs: Need[], kept: Ids): void {
    for (const need of needs) {
      for (const inner of need.inner) {
        if (inner.under !== at) continue
        inner.kept.set(at, among(inner.passed, need.kept.get(at) ?? new Set()))
        needs.push(inner)
      }
    }
    const whole = at.query.hops?.filter((hop) => hop.include || hop.aggregate) ?? []
    follow(this.#walk, { ...at.query, hops: whole }, kept)
    for (const hop of at.hops) {
      if (this.#along.has(hop) && !hop.query.include) this.#keepAlong(hop, needs)
    }
  }

  /** Brings what the needs at the node above need of a hop. */
  #keepAlong(hop: Node, above: readonly Need[]): void {
    const trail = this.#trail(hop)
    const needed = new Map<Need, Set<Connection>>()
    for (const need of above) {
      if (!need.along.has(hop)) continue
      const from = need.kept.get(hop.above as Node) ?? new Set()
      needed.set(need, new Set(trail.needed(from, need.good.get(hop) ?? new Set())))
    }
    const all = [...needed.values()]
    const links = this.#cut(
      hop,
      trail.links.filter((c) => all.some((links) => links.has(c))),
    )
    for (const [need, mine] of needed)
      need.kept.set(hop, new Set(links.filter((c) => mine.has(c)).map((c) => far(hop, c))))
    for (const c of links) {
      this.#walk.links.add(c.id)
      if (hop.query.reverse) this.#walk.reverse.add(c.id)
    }
    this.#keepAt(hop, [...needed.keys()], new Set(links.map((c) => far(hop, c))))
  }

  /** The connections that are needed, or, of each concept above, a page of them. */
  #cut(hop: Node, needed: readonly Connection[]): readonly Connection[] {
    if (!hop.query.limit || hop.query.connection === 'self') return needed
    const byNear = groupBy(needed, (c) => near(hop, c))
    return [...byNear].flatMap(([id, links]) => onePage(this.#walk, hop.query, id, links))
  }

  #trail(hop: Node): Trail {
    return this.#trails.get(hop) as Trail
  }
}
