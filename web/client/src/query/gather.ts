import { categoryInstance } from '../graph/fixed.ts'
import type { Id } from '../graph/id.ts'
import type { Source } from './source.ts'
import { among, back, comeUpon, far } from './trail.ts'
import { type Clause, type Match, type Node, type Tree, way } from './tree.ts'

type Ids = ReadonlySet<Id>

/**
 * Finds the concepts of a node that a clause is true of. Everything works on sets: a match is walked back
 * from its values, unless so few concepts are in question that walking forwards from them is less.
 */
export class Gatherer {
  readonly #graph: Source
  readonly #tree: Tree
  readonly #known = new Map<Match, readonly Id[]>()

  constructor(graph: Source, tree: Tree) {
    this.#graph = graph
    this.#tree = tree
  }

  /** The roots that pass, in no order; undefined if all do. */
  roots(): Id[] | undefined {
    const { root, where } = this.#tree
    if (!where) return undefined
    const type = this.#graph.type(root.query.type ?? '')
    const named = root.query.conceptIds?.length ? this.#allRoots() : undefined
    const isRoot = (id: Id) => {
      if (named) return named.has(id)
      const c = this.#graph.concept(id)
      return c?.type === type && c?.category === categoryInstance
    }
    return [...this.among(where, root, undefined)].filter(isRoot)
  }

  /**
   * Those of some concepts of a node that a clause is true of. Of all of them, when none are given: then
   * concepts that the node does not come upon may be among them.
   */
  among(clause: Clause, at: Node, of: Ids | undefined): Ids {
    switch (clause.op) {
      case 'leaf':
        return union(clause.matches.map((m) => this.#match(m, at, of)))
      case 'or':
        return union(clause.of.map((side) => this.among(side, at, of)))
      case 'and':
        return this.#and(clause.of, at, of)
      case 'not': {
        const all = of ?? this.#all(at)
        const not = union(clause.of.map((side) => this.among(side, at, all)))
        return new Set([...all].filter((id) => !not.has(id)))
      }
      case 'exand':
        return this.#under(clause, at, of)
    }
  }

  /** The side that is smallest, as far as that is known or soon found out, is gathered; the others are checked on it. */
  #and(sides: readonly Clause[], at: Node, of: Ids | undefined): Ids {
    const sized = sides.map((side) => ({ side, size: this.#size(side) }))
    const least = Math.min(...sized.map(({ size }) => size), of?.size ?? Number.POSITIVE_INFINITY)
    for (const one of sized) if (one.size < fan * least) one.size = this.#counted(one.side)
    let ids = of
    for (const { side } of sized.sort((a, b) => a.size - b.size)) ids = this.among(side, at, ids)
    return ids ?? new Set()
  }

  /** As `#size`, for a leaf by looking at each value. */
  #counted(clause: Clause): number {
    if (clause.op !== 'leaf') return this.#size(clause)
    return clause.matches.reduce((sum, m) => sum + this.#countOf(m), 0)
  }

  #countOf(m: Match): number {
    return m.id !== undefined || m.type === undefined ? this.#sizeOf(m) : this.#valuesOf(m).length
  }

  /** The concepts of its type that a match is true of, those hidden among them. */
  #valuesOf(m: Match): readonly Id[] {
    const known = this.#known.get(m)
    if (known) return known
    const found: Id[] = []
    for (const c of this.#graph.ofType(m.type ?? 0)) if (m.holds(c)) found.push(c.id)
    this.#known.set(m, found)
    return found
  }

  #under({ of: sides, under }: Clause & { op: 'exand' }, at: Node, of: Ids | undefined): Ids {
    const hops = way(at, under)
    const reached = of && this.#forwards(hops, of)
    const true_ = this.#and(sides, under, reached?.at(-1))
    return this.#backwards(hops, true_, reached ?? [])
  }

  #match(m: Match, at: Node, of: Ids | undefined): Ids {
    const hops = way(at, m.node)
    const size = this.#known.get(m)?.length ?? this.#sizeOf(m)
    const all = of ?? (size === Number.POSITIVE_INFINITY ? this.#all(at) : undefined)
    // A walk forwards looks at a handful of connections for each concept and hop.
    if (all && all.size * fan * (hops.length + 1) < size) {
      const reached = this.#forwards(hops, all)
      return this.#backwards(hops, this.#holding(m, reached.at(-1) as Ids), reached)
    }
    const found = this.#backwards(hops, this.#values(m), [])
    return of ? among(of, found) : found
  }

  /** What a match is true of, wherever it is. */
  #values(m: Match): Ids {
    if (m.id !== undefined) return this.#holding(m, [m.id])
    return new Set(this.#valuesOf(m).filter((id) => this.#graph.concept(id)))
  }

  #holding(m: Match, ids: Iterable<Id>): Set<Id> {
    const found = new Set<Id>()
    for (const id of ids) {
      const c = this.#graph.concept(id)
      if (c && m.holds(c)) found.add(c.id)
    }
    return found
  }

  /** The concepts that walks come upon, from where they begin to the last hop. */
  #forwards(hops: readonly Node[], from: Ids): Ids[] {
    const reached = [from]
    for (const hop of hops) {
      const links = comeUpon(this.#graph, hop, reached.at(-1) as Ids)
      reached.push(new Set(links.map((c) => far(hop, c))))
    }
    return reached
  }

  /** The concepts that the hops lead from to some others, each among those reached there. */
  #backwards(hops: readonly Node[], to: Ids, reached: readonly Ids[]): Ids {
    let found = to
    for (let i = hops.length - 1; i >= 0; i--)
      found = back(this.#graph, hops[i] as Node, found, reached[i])
    return found
  }

  /** Everything that a node can come upon. */
  #all(at: Node): Ids {
    const { root } = this.#tree
    return this.#forwards(way(root, at), this.#allRoots()).at(-1) as Ids
  }

  #allRoots(): Ids {
    const { conceptIds, type = '' } = this.#tree.root.query
    if (conceptIds?.length)
      return new Set(conceptIds.flatMap((id) => this.#graph.concept(id)?.id ?? []))
    return new Set(this.#graph.instances(this.#graph.type(type) ?? 0))
  }

  /** About how many concepts must be looked at to gather what a clause is true of. */
  #size(clause: Clause): number {
    switch (clause.op) {
      case 'leaf':
        return clause.matches.reduce((sum, m) => sum + this.#sizeOf(m), 0)
      case 'not':
        return Number.POSITIVE_INFINITY
      case 'or':
        return clause.of.reduce((sum, side) => sum + this.#size(side), 0)
      default:
        return Math.min(...clause.of.map((side) => this.#size(side)))
    }
  }

  #sizeOf(m: Match): number {
    if (m.id !== undefined) return 1
    return m.type === undefined ? Number.POSITIVE_INFINITY : this.#graph.ofType(m.type).length
  }
}

/** How many connections of a hop a concept is expected to have. */
const fan = 4

function union(sets: readonly Ids[]): Ids {
  const [only] = sets
  if (sets.length === 1 && only) return only
  const all = new Set<Id>()
  for (const set of sets) for (const id of set) all.add(id)
  return all
}
