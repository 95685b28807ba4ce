import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { check, namedType, onlyId, test } from './filter.ts'
import { type Logic, only, parseLogic } from './logic.ts'
import type { Predicate } from './predicate.ts'
import type { Filter, Query } from './query.ts'
import type { Source } from './source.ts'

/** A node of a query: the root, a hop or a selector. */
export interface Node {
  readonly query: Query
  /** Undefined for the root. */
  readonly above: Node | undefined
  readonly level: number
  readonly hops: readonly Node[]
}

/** A filter on a node. */
export interface Match {
  readonly node: Node
  readonly filter: Filter
  readonly holds: Predicate
  /** The type of everything it is true of; undefined for any, 0 for one that nobody made. */
  readonly type: Id | undefined
  /** The one concept it can be true of. */
  readonly id: Id | undefined
}

/** A logic with what its names stand for. A leaf is true if one of its matches is. */
export type Clause =
  | { readonly op: 'leaf'; readonly matches: readonly Match[] }
  | { readonly op: 'not' | 'and' | 'or'; readonly of: readonly Clause[] }
  /** True of a concept that leads to one of the node `under` that all sides are true of. */
  | { readonly op: 'exand'; readonly of: readonly Clause[]; readonly under: Node }

/** A query laid out: its nodes in the order in which they are written, and what must be true of a root. */
export interface Tree {
  readonly root: Node
  readonly nodes: readonly Node[]
  /** Undefined lets every root pass. */
  readonly where: Clause | undefined
}

/** Throws `invalid` for a logic, filters it mentions, or ancestors that make no sense. */
export function layOut(graph: Source, query: Query): Tree {
  const nodes: Node[] = []
  const root = nodeOf(query, undefined, nodes)
  const filters = query.filters ?? []
  filters.forEach(check)
  const parsed = parseLogic(query.logic ?? '')
  const logic = parsed && only(parsed, (name) => filters.some((f) => f.name === name))
  const where = logic && new Binder(graph, nodes, filters).clause(logic).clause
  return { root, nodes, where }
}

function nodeOf(query: Query, above: Node | undefined, nodes: Node[]): Node {
  const hops: Node[] = []
  const node = { query, above, level: above ? above.level + 1 : 0, hops }
  nodes.push(node)
  for (const hop of query.hops ?? []) hops.push(nodeOf(hop, node, nodes))
  return node
}

/** The nodes below one that lead to another, which is the last of them. */
export function way(from: Node, to: Node): Node[] {
  const nodes: Node[] = []
  for (let at = to; at !== from && at.above; at = at.above) nodes.unshift(at)
  return nodes
}

/** Where a clause looks, and the ancestors that the nodes there name: an EXAND must be above them. */
interface Span {
  readonly clause: Clause
  readonly nodes: readonly Node[]
  readonly ancestors: readonly string[]
}

class Binder {
  readonly #graph: Source
  readonly #nodes: readonly Node[]
  readonly #filters: readonly Filter[]
  readonly #matches = new Map<string, readonly Match[]>()

  constructor(graph: Source, nodes: readonly Node[], filters: readonly Filter[]) {
    this.#graph = graph
    this.#nodes = nodes
    this.#filters = filters
  }

  clause(logic: Logic): Span {
    if (logic.op === 'leaf') {
      const matches = this.#matchesOf(logic.filter)
      const nodes = matches.map((m) => m.node)
      const ancestors = nodes.flatMap((node) => node.query.ancestor || [])
      return { clause: { op: 'leaf', matches }, nodes, ancestors }
    }
    const sides = logic.of.map((side) => this.clause(side))
    const of = sides.map((side) => side.clause)
    const nodes = sides.flatMap((side) => side.nodes)
    const ancestors = sides.flatMap((side) => side.ancestors)
    if (logic.op !== 'exand') return { clause: { op: logic.op, of }, nodes, ancestors }
    const under = ancestorOf(nodes, new Set(ancestors))
    return { clause: { op: 'exand', of, under }, nodes: [under], ancestors: [] }
  }

  /** What the name of a filter stands for. */
  #matchesOf(name: string): readonly Match[] {
    const known = this.#matches.get(name)
    if (known) return known
    const named = this.#filters.filter((f) => f.name === name)
    const matches = named.flatMap((f) => this.#nodesOf(f).map((node) => this.#match(node, f)))
    this.#matches.set(name, matches)
    return matches
  }

  #match(node: Node, filter: Filter): Match {
    const name = namedType(filter)
    const type = name === undefined ? undefined : (this.#graph.type(name) ?? 0)
    return { node, filter, holds: test(this.#graph, filter), type, id: onlyId(filter) }
  }

  #nodesOf({ name, on = '' }: Filter): readonly Node[] {
    const nodes = this.#nodes.filter((node) => (on ? node.query.name === on : !node.above))
    if (nodes.length === 0) invalid(`filter "${name}" is on "${on}", which names no node`)
    if (nodes.some((node) => node.query.aggregate))
      invalid(`filter "${name}" is on "${on}", an aggregate; put it on a hop beside that`)
    return nodes
  }
}

/** The node that the sides of an EXAND are looked for under. */
function ancestorOf(nodes: readonly Node[], names: ReadonlySet<string>): Node {
  const shared = nodes.reduce(lowest)
  const [name, other] = names
  if (other) invalid(`an EXAND has one ancestor; its nodes name "${name}" and "${other}"`)
  if (!name) return shared
  for (let at: Node | undefined = shared; at; at = at.above) if (at.query.name === name) return at
  return invalid(`ancestor "${name}" names no node above all sides of its EXAND`)
}

/** The lowest node that is above, or is, both. */
function lowest(a: Node, b: Node): Node {
  while (a !== b) {
    if (a.level < b.level) b = b.above as Node
    else a = a.above as Node
  }
  return a
}

function invalid(message: string): never {
  throw new WeftError('invalid', message)
}
