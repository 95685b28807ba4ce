import { categoryInstance } from '../model/fixed.ts'
import type { Id } from '../model/id.ts'
import type { Source } from './source.ts'
import { farOf, intersect, reachBack, reachLinks } from './traversal.ts'
import { type Clause, hopsBetween, type Match, type Node, type Tree } from './tree.ts'

type Ids = ReadonlySet<Id>

/**
 * Finds the concepts of a node that meet a clause. All steps work on sets. To evaluate a match, the search follows the
 * hops backwards from the matching values or, if there are few candidates, forwards from the candidates.
 */
export class ClauseSearch {
  readonly #graph: Source
  readonly #tree: Tree
  /** The concepts that meet a match, by match. */
  readonly #matchCache = new Map<Match, readonly Id[]>()

  constructor(graph: Source, tree: Tree) {
    this.#graph = graph
    this.#tree = tree
  }

  /**
   * Returns the roots that pass the filters, in any order; undefined without a condition, so that all roots pass.
   */
  findRoots(): Id[] | undefined {
    const { root, where } = this.#tree
    if (!where) return undefined
    const type = this.#graph.type(root.query.type ?? '')
    const given = root.query.conceptIds?.length ? this.#allRoots() : undefined
    const isRoot = (id: Id) => {
      if (given) return given.has(id)
      const c = this.#graph.concept(id)
      return c?.type === type && c?.category === categoryInstance
    }
    return [...this.findMatching(where, root, undefined)].filter(isRoot)
  }

  /**
   * Returns the candidates that meet a clause.
   *
   * @param candidates if undefined, all concepts of the node; the result may then also contain other concepts
   */
  findMatching(clause: Clause, at: Node, candidates: Ids | undefined): Ids {
    switch (clause.op) {
      case 'leaf':
        return union(clause.matches.map((m) => this.#findMatch(m, at, candidates)))
      case 'or':
        return union(clause.of.map((operand) => this.findMatching(operand, at, candidates)))
      case 'and':
        return this.#matchAll(clause.of, at, candidates)
      case 'not': {
        const all = candidates ?? this.#allAt(at)
        const not = union(clause.of.map((operand) => this.findMatching(operand, at, all)))
        return new Set([...all].filter((id) => !not.has(id)))
      }
      case 'exand':
        return this.#matchBelow(clause, at, candidates)
    }
  }

  /** Finds the concepts that meet the operand with the smallest estimate, and checks the other operands on them. */
  #matchAll(operands: readonly Clause[], at: Node, candidates: Ids | undefined): Ids {
    const sized = operands.map((operand) => ({ operand, size: this.#estimate(operand) }))
    const smallest = Math.min(
      ...sized.map(({ size }) => size),
      candidates?.size ?? Number.POSITIVE_INFINITY,
    )
    for (const sizedOperand of sized)
      if (sizedOperand.size < expectedFanOut * smallest)
        sizedOperand.size = this.#countExactly(sizedOperand.operand)
    let ids = candidates
    for (const { operand } of sized.sort((a, b) => a.size - b.size))
      ids = this.findMatching(operand, at, ids)
    return ids ?? new Set()
  }

  /** Estimates like `#estimate`, but counts the matching values of a leaf exactly. */
  #countExactly(clause: Clause): number {
    if (clause.op !== 'leaf') return this.#estimate(clause)
    return clause.matches.reduce((sum, m) => sum + this.#countMatches(m), 0)
  }

  #countMatches(m: Match): number {
    return m.id !== undefined || m.type === undefined
      ? this.#estimateMatch(m)
      : this.#listMatches(m).length
  }

  /** Lists the concepts that meet a match, including hidden concepts. */
  #listMatches(m: Match): readonly Id[] {
    const known = this.#matchCache.get(m)
    if (known) return known
    const found: Id[] = []
    for (const c of this.#graph.ofType(m.type ?? 0)) if (m.holds(c)) found.push(c.id)
    this.#matchCache.set(m, found)
    return found
  }

  #matchBelow(
    { of: operands, ancestor }: Clause & { op: 'exand' },
    at: Node,
    candidates: Ids | undefined,
  ): Ids {
    const hops = hopsBetween(at, ancestor)
    const reached = candidates && this.#reachForwards(hops, candidates)
    const matching = this.#matchAll(operands, ancestor, reached?.at(-1))
    return this.#reachBackwards(hops, matching, reached ?? [])
  }

  #findMatch(m: Match, at: Node, candidates: Ids | undefined): Ids {
    const hops = hopsBetween(at, m.node)
    const size = this.#matchCache.get(m)?.length ?? this.#estimateMatch(m)
    const all = candidates ?? (size === Number.POSITIVE_INFINITY ? this.#allAt(at) : undefined)
    // Forwards, each candidate costs about `expectedFanOut` connections per hop.
    if (all && all.size * expectedFanOut * (hops.length + 1) < size) {
      const reached = this.#reachForwards(hops, all)
      return this.#reachBackwards(hops, this.#filterMatching(m, reached.at(-1) as Ids), reached)
    }
    const found = this.#reachBackwards(hops, this.#matchedIds(m), [])
    return candidates ? intersect(candidates, found) : found
  }

  /** Returns the visible concepts that meet a match, at any node. */
  #matchedIds(m: Match): Ids {
    if (m.id !== undefined) return this.#filterMatching(m, [m.id])
    return new Set(this.#listMatches(m).filter((id) => this.#graph.concept(id)))
  }

  #filterMatching(m: Match, ids: Iterable<Id>): Set<Id> {
    const found = new Set<Id>()
    for (const id of ids) {
      const c = this.#graph.concept(id)
      if (c && m.holds(c)) found.add(c.id)
    }
    return found
  }

  /** Follows hops. Returns `from`, and after it the concepts reached by each hop. */
  #reachForwards(hops: readonly Node[], from: Ids): Ids[] {
    const reached = [from]
    for (const hop of hops) {
      const links = reachLinks(this.#graph, hop, reached.at(-1) as Ids)
      reached.push(new Set(links.map((c) => farOf(hop, c))))
    }
    return reached
  }

  /**
   * Returns the concepts from which the hops lead to `to`. Each step is restricted to the concepts of that step in
   * `reached`, if given.
   */
  #reachBackwards(hops: readonly Node[], to: Ids, reached: readonly Ids[]): Ids {
    let found = to
    for (let i = hops.length - 1; i >= 0; i--)
      found = reachBack(this.#graph, hops[i] as Node, found, reached[i])
    return found
  }

  /** Returns all concepts of a node. */
  #allAt(at: Node): Ids {
    const { root } = this.#tree
    return this.#reachForwards(hopsBetween(root, at), this.#allRoots()).at(-1) as Ids
  }

  #allRoots(): Ids {
    const { conceptIds, type = '' } = this.#tree.root.query
    if (conceptIds?.length)
      return new Set(conceptIds.flatMap((id) => this.#graph.concept(id)?.id ?? []))
    return new Set(this.#graph.instances(this.#graph.type(type) ?? 0))
  }

  /** Estimates how many concepts must be read to find those that meet a clause. */
  #estimate(clause: Clause): number {
    switch (clause.op) {
      case 'leaf':
        return clause.matches.reduce((sum, m) => sum + this.#estimateMatch(m), 0)
      case 'not':
        return Number.POSITIVE_INFINITY
      case 'or':
        return clause.of.reduce((sum, operand) => sum + this.#estimate(operand), 0)
      default:
        return Math.min(...clause.of.map((operand) => this.#estimate(operand)))
    }
  }

  #estimateMatch(m: Match): number {
    if (m.id !== undefined) return 1
    return m.type === undefined ? Number.POSITIVE_INFINITY : this.#graph.ofType(m.type).length
  }
}

/** Expected number of connections of a hop at one concept. */
const expectedFanOut = 4

function union(sets: readonly Ids[]): Ids {
  const [only] = sets
  if (sets.length === 1 && only) return only
  const all = new Set<Id>()
  for (const set of sets) for (const id of set) all.add(id)
  return all
}
