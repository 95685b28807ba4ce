import type { Connection } from '../model/connection.ts'
import type { Id } from '../model/id.ts'
import { followAllHops } from './follow.ts'
import { type ResultCollector, takeLinkPage } from './run.ts'
import type { ClauseSearch } from './search.ts'
import type { Source } from './source.ts'
import { farOf, groupBy, intersect, nearOf, reachLinks, Traversal } from './traversal.ts'
import { type Clause, hopsBetween, type Match, type Node } from './tree.ts'

type Ids = ReadonlySet<Id>

/** A part of the logic that is pruned as a whole: one EXAND, or everything outside all EXANDs. */
class MatchScope {
  /** The node at which the walks to the matches start. */
  readonly ancestor: Node
  /** The operands of the EXAND, which must hold at `ancestor`; empty for the scope outside all EXANDs. */
  readonly operands: readonly Clause[]
  readonly matches: Match[] = []
  /** The EXANDs inside this scope. */
  readonly inner: MatchScope[] = []
  /** The hops from `ancestor` to the matches, and to the ancestors of inner scopes. */
  readonly hops = new Set<Node>()
  /** Concepts that lead to a match, by node. */
  readonly leading = new Map<Node, Ids>()
  /** The concepts of `ancestor` that lead to a match and meet all operands. */
  passed: Ids = new Set()
  /** Concepts that belong to the answer, by node. */
  readonly kept = new Map<Node, Ids>()

  constructor(ancestor: Node, operands: readonly Clause[]) {
    this.ancestor = ancestor
    this.operands = operands
  }

  /** Adds the matches of a clause that are not negated. */
  collectMatches(clause: Clause, isNegated = false): void {
    if (clause.op === 'leaf') {
      if (!isNegated) this.matches.push(...clause.matches)
    } else if (clause.op === 'exand') {
      const inner = new MatchScope(clause.ancestor, clause.of)
      for (const side of clause.of) inner.collectMatches(side, isNegated)
      this.inner.push(inner)
    } else {
      for (const side of clause.of) this.collectMatches(side, isNegated !== (clause.op === 'not'))
    }
  }

  /** Collects the hops that lead to the matches, in `hops` of each scope and in `all`. */
  collectHops(all: Set<Node>): void {
    for (const { node } of this.matches) this.#addHops(node, all)
    for (const inner of this.inner) {
      this.#addHops(inner.ancestor, all)
      inner.collectHops(all)
    }
  }

  #addHops(to: Node, all: Set<Node>): void {
    for (const hop of hopsBetween(this.ancestor, to)) {
      this.hops.add(hop)
      all.add(hop)
    }
  }
}

/**
 * Collects the connections of a filtered answer: follows all hops that lead to filtered nodes, then drops the
 * connections that do not lead to a match. Costs the connections of these hops, read once and then processed in linear
 * time.
 */
export function prune(context: PruneContext, root: Node, where: Clause, roots: Ids): void {
  new Pruner(context).prune(root, where, roots)
}

interface PruneContext {
  readonly graph: Source
  readonly search: ClauseSearch
  readonly results: ResultCollector
}

class Pruner {
  readonly #results: ResultCollector
  readonly #graph: Source
  readonly #search: ClauseSearch
  /** The hops of all scopes. */
  readonly #hops = new Set<Node>()
  /** All concepts that these hops reach, by node. */
  readonly #reached = new Map<Node, Ids>()
  readonly #traversals = new Map<Node, Traversal>()

  constructor({ graph, search, results }: PruneContext) {
    this.#graph = graph
    this.#search = search
    this.#results = results
  }

  prune(root: Node, where: Clause, roots: Ids): void {
    const top = new MatchScope(root, [])
    top.collectMatches(where)
    top.collectHops(this.#hops)
    this.#reachAll(root, roots)
    this.#findLeading(top, root)
    top.kept.set(root, roots)
    this.#keepAt(root, [top], roots)
  }

  #reachAll(at: Node, ids: Ids): void {
    this.#reached.set(at, ids)
    for (const hop of at.hops) {
      if (!this.#hops.has(hop)) continue
      const links = reachLinks(this.#graph, hop, ids)
      this.#traversals.set(hop, new Traversal(hop, links))
      this.#reachAll(hop, new Set(links.map((c) => farOf(hop, c))))
    }
  }

  /** Finds the concepts of a node that lead to a match of a scope. */
  #findLeading(scope: MatchScope, at: Node): Ids {
    const leading = new Set<Id>()
    const add = (ids: Iterable<Id>) => {
      for (const id of ids) leading.add(id)
    }
    scope.leading.set(at, leading)
    for (const hop of at.hops) {
      if (scope.hops.has(hop))
        add(this.#traversalOf(hop).startsLeadingTo(this.#findLeading(scope, hop)))
    }
    for (const inner of scope.inner) {
      if (inner.ancestor !== at) continue
      const below = this.#findLeading(inner, at)
      inner.passed = this.#search.findMatching({ op: 'and', of: inner.operands }, at, below)
      add(inner.passed)
    }
    for (const match of scope.matches) {
      if (match.node === at) add(this.#listMatching(match, at))
    }
    return leading
  }

  #listMatching(match: Match, at: Node): Id[] {
    return [...(this.#reached.get(at) ?? [])].filter((id) => {
      const c = this.#graph.concept(id)
      return c && match.holds(c)
    })
  }

  /**
   * Collects the connections below a node that its scopes require. Adds inner scopes that start at the node to
   * `scopes`.
   */
  #keepAt(at: Node, scopes: MatchScope[], kept: Ids): void {
    for (const scope of scopes) {
      for (const inner of scope.inner) {
        if (inner.ancestor !== at) continue
        inner.kept.set(at, intersect(inner.passed, scope.kept.get(at) ?? new Set()))
        scopes.push(inner)
      }
    }
    const unpruned = at.query.hops?.filter((hop) => hop.include || hop.aggregate) ?? []
    followAllHops(this.#results, { ...at.query, hops: unpruned }, kept)
    for (const hop of at.hops) {
      if (this.#hops.has(hop) && !hop.query.include) this.#keepHop(hop, scopes)
    }
  }

  /** Collects the connections of a hop that the scopes at the parent node require. */
  #keepHop(hop: Node, scopes: readonly MatchScope[]): void {
    const traversal = this.#traversalOf(hop)
    const needed = new Map<MatchScope, Set<Connection>>()
    for (const scope of scopes) {
      if (!scope.hops.has(hop)) continue
      const from = scope.kept.get(hop.parent as Node) ?? new Set()
      needed.set(scope, new Set(traversal.linksBetween(from, scope.leading.get(hop) ?? new Set())))
    }
    const all = [...needed.values()]
    const links = this.#takePages(
      hop,
      traversal.links.filter((c) => all.some((links) => links.has(c))),
    )
    for (const [scope, own] of needed)
      scope.kept.set(hop, new Set(links.filter((c) => own.has(c)).map((c) => farOf(hop, c))))
    for (const c of links) {
      this.#results.links.add(c.id)
      if (hop.query.reverse) this.#results.reverse.add(c.id)
    }
    this.#keepAt(hop, [...needed.keys()], new Set(links.map((c) => farOf(hop, c))))
  }

  /** Returns the needed connections; for a paged hop, one page for each parent concept. */
  #takePages(hop: Node, needed: readonly Connection[]): readonly Connection[] {
    if (!hop.query.limit || hop.query.connection === 'self') return needed
    const byNear = groupBy(needed, (c) => nearOf(hop, c))
    return [...byNear].flatMap(([id, links]) => takeLinkPage(this.#results, hop.query, id, links))
  }

  #traversalOf(hop: Node): Traversal {
    return this.#traversals.get(hop) as Traversal
  }
}
