import { byAge } from '../composition/reader.ts'
import { type Concept, isType } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import type { Source } from '../query/source.ts'
import { groupBy } from '../query/trail.ts'

/** The graph without the writes that wait: all that these make has, or leads to, a local id. */
export class Before implements Source {
  readonly #graph: Graph
  /** The connections that the writes hide, by their ids and by both ends. */
  readonly #hidden: ReadonlyMap<Id, Connection>
  readonly #out: ReadonlyMap<Id, readonly Connection[]>
  readonly #in: ReadonlyMap<Id, readonly Connection[]>

  constructor(graph: Graph, pending: readonly Mutation[]) {
    this.#graph = graph
    const gone = pending.flatMap((m) => m.removeConcepts.map((id) => graph.name(id)))
    const mains = pending.filter((m) => m.removeConnections.length > 0).map((m) => graph.name(m.id))
    const links = new Set([...gone, ...mains].flatMap((id) => [...graph.allConnections(id)]))
    const hidden = [...links].filter((c) => !graph.connection(c.id))
    this.#hidden = new Map(hidden.map((c) => [c.id, c]))
    this.#out = groupBy(hidden, (c) => c.from)
    this.#in = groupBy(hidden, (c) => c.to)
  }

  concept(id: Id): Concept | undefined {
    const c = this.#graph.known(id)
    return c && this.#isReal(c) ? c : undefined
  }

  connection(id: Id): Connection | undefined {
    const c = this.#graph.connection(id) ?? this.#hidden.get(this.#graph.realConnection(id))
    return c && this.#isHere(c) ? c : undefined
  }

  out(id: Id, type?: Id): readonly Connection[] {
    return this.#with(this.#graph.out(id, type), this.#out.get(this.#graph.name(id)), type)
  }

  in(id: Id, type?: Id): readonly Connection[] {
    return this.#with(this.#graph.in(id, type), this.#in.get(this.#graph.name(id)), type)
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

  #with(
    shown: readonly Connection[],
    hidden: readonly Connection[] = [],
    type?: Id,
  ): readonly Connection[] {
    const name = type && this.#graph.name(type)
    const fits = hidden.filter((c) => name === undefined || c.type === name)
    const all = fits.length > 0 ? [...shown, ...fits].sort((a, b) => byAge(a.id, b.id)) : shown
    const here = (c: Connection) => this.#isHere(c)
    return all.every(here) ? all : all.filter(here)
  }

  #isHere(c: Connection): boolean {
    return c.id > 0 && !!this.concept(c.from) && !!this.concept(c.to)
  }

  #isReal(c: Concept): boolean {
    return this.#graph.real(c.id) > 0
  }
}
