import { byAge } from '../../composition/reader.ts'
import type { Graph } from '../../local/graph.ts'
import { type Concept, isType } from '../../model/concept.ts'
import type { Connection } from '../../model/connection.ts'
import type { Id } from '../../model/id.ts'
import type { Mutation } from '../../model/mutation.ts'
import type { Source } from '../../query/source.ts'
import { groupBy } from '../../query/traversal.ts'

/**
 * The graph of the page without its pending writes. It leaves out records with local ids and connections to them, and
 * adds the connections that the writes hide. A read costs as much as the same read of the graph of the page, plus the
 * hidden connections of the concept.
 */
export class BaseGraph implements Source {
  readonly #graph: Graph
  /** The connections that pending writes hide, by their ids, sources and targets. */
  readonly #hidden: ReadonlyMap<Id, Connection>
  readonly #out: ReadonlyMap<Id, readonly Connection[]>
  readonly #in: ReadonlyMap<Id, readonly Connection[]>

  constructor(graph: Graph, pending: readonly Mutation[]) {
    this.#graph = graph
    const removed = pending.flatMap((m) => m.removeConcepts.map((id) => graph.canonical(id)))
    const mains = pending
      .filter((m) => m.removeConnections.length > 0)
      .map((m) => graph.canonical(m.id))
    const links = new Set([...removed, ...mains].flatMap((id) => [...graph.allConnections(id)]))
    const hidden = [...links].filter((c) => !graph.connection(c.id))
    this.#hidden = new Map(hidden.map((c) => [c.id, c]))
    this.#out = groupBy(hidden, (c) => c.from)
    this.#in = groupBy(hidden, (c) => c.to)
  }

  concept(id: Id): Concept | undefined {
    const c = this.#graph.knownConcept(id)
    return c && this.#isReal(c) ? c : undefined
  }

  connection(id: Id): Connection | undefined {
    const c = this.#graph.connection(id) ?? this.#hidden.get(this.#graph.realConnection(id))
    return c && this.#isBase(c) ? c : undefined
  }

  out(id: Id, type?: Id): readonly Connection[] {
    return this.#merge(this.#graph.out(id, type), this.#out.get(this.#graph.canonical(id)), type)
  }

  in(id: Id, type?: Id): readonly Connection[] {
    return this.#merge(this.#graph.in(id, type), this.#in.get(this.#graph.canonical(id)), type)
  }

  type(name: string): Id | undefined {
    return this.#graph.type(name)
  }

  find(type: string, value: string): Concept | undefined {
    return this.#graph.find(type, value)
  }

  instances(type: Id): readonly Id[] {
    const real = this.ofType(type).filter((c) => this.#isReal(c) && !isType(c))
    return real.map((c) => c.id).sort((a, b) => byAge(this.real(a), this.real(b)))
  }

  ofType(type: Id): readonly Concept[] {
    return this.#graph.ofType(type)
  }

  real(id: Id): Id {
    return this.#graph.real(id)
  }

  /** Merges visible and hidden connections, oldest first, without those that pending writes created. */
  #merge(
    shown: readonly Connection[],
    hidden: readonly Connection[] = [],
    type?: Id,
  ): readonly Connection[] {
    const wanted = type && this.#graph.canonical(type)
    const matching = hidden.filter((c) => wanted === undefined || c.type === wanted)
    const all =
      matching.length > 0 ? [...shown, ...matching].sort((a, b) => byAge(a.id, b.id)) : shown
    const isBase = (c: Connection) => this.#isBase(c)
    return all.every(isBase) ? all : all.filter(isBase)
  }

  #isBase(c: Connection): boolean {
    return c.id > 0 && !!this.concept(c.from) && !!this.concept(c.to)
  }

  #isReal(c: Concept): boolean {
    return this.#graph.real(c.id) > 0
  }
}
