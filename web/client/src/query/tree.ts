import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { checkSize, filterPredicate, namedType, requiredId } from './filter.ts'
import { keepKnown, type Logic, parseLogic } from './logic.ts'
import type { Predicate } from './predicate.ts'
import type { Filter, Query } from './query.ts'
import type { Source } from './source.ts'

/** A node of a query: the root or a hop. */
export interface Node {
  readonly query: Query
  /** Undefined for the root. */
  readonly parent: Node | undefined
  /** Depth in the tree; 0 for the root. */
  readonly level: number
  readonly hops: readonly Node[]
}

/** A filter applied to one node. A filter on a name that several nodes have becomes several matches. */
export interface Match {
  readonly node: Node
  readonly filter: Filter
  readonly holds: Predicate
  /** Type of the matching concepts; undefined for any type, 0 for a type that does not exist. */
  readonly type: Id | undefined
  /** The only concept that can match; undefined if several can. */
  readonly id: Id | undefined
}

/** A logic with its names resolved. A leaf holds if one of its matches holds. */
export type Clause =
  | { readonly op: 'leaf'; readonly matches: readonly Match[] }
  | { readonly op: 'not' | 'and' | 'or'; readonly of: readonly Clause[] }
  /** Holds for a concept that leads to a concept of the node `ancestor` for which all operands hold. */
  | { readonly op: 'exand'; readonly of: readonly Clause[]; readonly ancestor: Node }

/** A bound query: its nodes in the order of the query, and the condition on a root. */
export interface Tree {
  readonly root: Node
  readonly nodes: readonly Node[]
  /** Undefined if every root passes. */
  readonly where: Clause | undefined
}

/** Binds a query to a graph. Throws `invalid` for a malformed logic, filter of the logic, or ancestor. */
export function bindQuery(graph: Source, query: Query): Tree {
  const nodes: Node[] = []
  const root = createNode(query, undefined, nodes)
  const filters = query.filters ?? []
  filters.forEach(checkSize)
  const parsed = parseLogic(query.logic ?? '')
  const logic = parsed && keepKnown(parsed, (name) => filters.some((f) => f.name === name))
  const where = logic && new ClauseBinder(graph, nodes, filters).bindClause(logic).clause
  return { root, nodes, where }
}

function createNode(query: Query, parent: Node | undefined, nodes: Node[]): Node {
  const hops: Node[] = []
  const node = { query, parent, level: parent ? parent.level + 1 : 0, hops }
  nodes.push(node)
  for (const hop of query.hops ?? []) hops.push(createNode(hop, node, nodes))
  return node
}

/** Lists the hops from a node down to a node below it. The lower node is the last element. */
export function hopsBetween(from: Node, to: Node): Node[] {
  const nodes: Node[] = []
  for (let node = to; node !== from && node.parent; node = node.parent) nodes.unshift(node)
  return nodes
}

/** A bound clause, its nodes, and the names in `ancestor` of these nodes, which apply to an EXAND around the clause. */
interface ClauseSpan {
  readonly clause: Clause
  readonly nodes: readonly Node[]
  readonly ancestors: readonly string[]
}

class ClauseBinder {
  readonly #graph: Source
  readonly #nodes: readonly Node[]
  readonly #filters: readonly Filter[]
  readonly #matches = new Map<string, readonly Match[]>()

  constructor(graph: Source, nodes: readonly Node[], filters: readonly Filter[]) {
    this.#graph = graph
    this.#nodes = nodes
    this.#filters = filters
  }

  bindClause(logic: Logic): ClauseSpan {
    if (logic.op === 'leaf') {
      const matches = this.#matchesOf(logic.filter)
      const nodes = matches.map((m) => m.node)
      const ancestors = nodes.flatMap((node) => node.query.ancestor || [])
      return { clause: { op: 'leaf', matches }, nodes, ancestors }
    }
    const sides = logic.of.map((side) => this.bindClause(side))
    const of = sides.map((side) => side.clause)
    const nodes = sides.flatMap((side) => side.nodes)
    const ancestors = sides.flatMap((side) => side.ancestors)
    if (logic.op !== 'exand') return { clause: { op: logic.op, of }, nodes, ancestors }
    const ancestor = findAncestor(nodes, new Set(ancestors))
    return { clause: { op: 'exand', of, ancestor }, nodes: [ancestor], ancestors: [] }
  }

  /** Resolves the name of a filter to its matches. */
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
    return {
      node,
      filter,
      holds: filterPredicate(this.#graph, filter),
      type,
      id: requiredId(filter),
    }
  }

  #nodesOf({ name, on = '' }: Filter): readonly Node[] {
    const nodes = this.#nodes.filter((node) => (on ? node.query.name === on : !node.parent))
    if (nodes.length === 0) throwInvalid(`filter "${name}" is on "${on}", which names no node`)
    if (nodes.some((node) => node.query.aggregate))
      throwInvalid(`filter "${name}" is on "${on}", an aggregate; put it on a separate hop`)
    return nodes
  }
}

/** Returns the node under which all operands of an EXAND must hold. */
function findAncestor(nodes: readonly Node[], names: ReadonlySet<string>): Node {
  const shared = nodes.reduce(lowestCommonAncestor)
  const [name, other] = names
  if (other) throwInvalid(`an EXAND has one ancestor; its nodes name "${name}" and "${other}"`)
  if (!name) return shared
  for (let node: Node | undefined = shared; node; node = node.parent)
    if (node.query.name === name) return node
  return throwInvalid(`ancestor "${name}" names no node above all operands of its EXAND`)
}

/** Returns the deepest node that is an ancestor of both nodes, or one of them. */
function lowestCommonAncestor(a: Node, b: Node): Node {
  while (a !== b) {
    if (a.level < b.level) b = b.parent as Node
    else a = a.parent as Node
  }
  return a
}

function throwInvalid(message: string): never {
  throw new WeftError('invalid', message)
}
