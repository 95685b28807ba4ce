import type { Drafts, Ghosts } from '../composition/build.ts'
import { type Concept, isShared } from '../graph/concept.ts'
import { type Connection, orderInternal } from '../graph/connection.ts'
import { anonymous, categoryInstance, categoryWord, word } from '../graph/fixed.ts'
import { type Id, isLocal } from '../graph/id.ts'
import type { Graph } from '../local/graph.ts'

const privately = 4

/** Turns drafts into records of this graph. A value that is here already is used again, whoever made it. */
export function recordsOf(drafts: Drafts, graph: Graph, ids: Ghosts, created: string) {
  const drafting = new Drafting(graph, ids, created)
  for (const d of drafts.concepts) drafting.concept(d)
  return {
    concepts: [...drafting.concepts.values()],
    connections: drafts.connections.map((d) => drafting.connection(d)),
  }
}

class Drafting {
  readonly graph: Graph
  readonly ids: Ghosts
  readonly created: string
  readonly concepts = new Map<Id, Concept>()
  readonly #types = new Map<string, Id>()
  readonly #known = new Map<Id, Id>()

  constructor(graph: Graph, ids: Ghosts, created: string) {
    this.graph = graph
    this.ids = ids
    this.created = created
  }

  concept(d: Drafts['concepts'][number]): void {
    const type = this.#type(d.typeName)
    const known =
      d.kind === 'value' && isShared(d.value) ? this.graph.find(type, d.value) : undefined
    if (known === undefined) {
      this.#make(d.ghost, type, categoryInstance, d.value, d.kind)
      return
    }
    this.#known.set(d.ghost, known.id)
    this.#bring(known)
  }

  connection(d: Drafts['connections'][number]): Connection {
    return {
      id: d.ghost,
      from: d.from,
      to: this.#known.get(d.to) ?? d.to,
      type: d.type,
      order: orderInternal,
      owner: anonymous,
      access: privately,
      created: this.created,
    }
  }

  #type(name: string): Id {
    const known = this.#types.get(name)
    if (known !== undefined) return known
    const here = this.graph.type(name)
    const id = here ?? this.ids.concept()
    this.#types.set(name, id)
    if (here === undefined) this.#make(id, word, categoryWord, name, 'type')
    else this.#bring(this.graph.concept(here))
    return id
  }

  /** A mutation brings along what the server does not know yet, whoever made it. */
  #bring(c: Concept | undefined): void {
    if (c && isLocal(this.graph.real(c.id))) this.concepts.set(c.id, c)
  }

  #make(id: Id, type: Id, category: Id, value: string, kind: string): void {
    this.concepts.set(id, {
      id,
      type,
      category,
      value,
      owner: anonymous,
      access: privately,
      composition: kind === 'composition',
      created: this.created,
    })
  }
}
