import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { type Id, isReal } from '../graph/id.ts'

/**
 * The names things go by. A concept made here keeps its local id; the real one, once known, is another name
 * of the same concept. Connections take their real id, nobody holds on to those.
 */
export class Names {
  /** Other name → name used here. */
  readonly #names = new Map<Id, Id>()
  readonly #real = new Map<Id, Id>()
  readonly #connections = new Map<Id, Id>()

  /** The id a concept goes by here. */
  name(id: Id): Id {
    if (this.#names.size === 0) return id
    const next = this.#names.get(id)
    return next === undefined ? id : this.name(next)
  }

  /** The id the server knows: the same for real ids, and for local ones not known there yet. */
  real(id: Id): Id {
    return isReal(id) ? id : (this.#real.get(id) ?? id)
  }

  /** The id a connection goes by, here and, if it is known there, at the server. */
  connection(id: Id): Id {
    return this.#connections.get(id) ?? id
  }

  learn(local: Id, real: Id): void {
    this.#real.set(local, real)
  }

  rename(from: Id, to: Id): void {
    this.#names.set(from, to)
  }

  renameConnection(local: Id, real: Id): void {
    this.#connections.set(local, real)
  }

  ofConcept(c: Concept): Concept {
    const [id, type, category] = [this.name(c.id), this.name(c.type), this.name(c.category)]
    if (id === c.id && type === c.type && category === c.category) return c
    return { ...c, id, type, category }
  }

  ofEnds(c: Connection): Connection {
    const [from, to, type] = [this.name(c.from), this.name(c.to), this.name(c.type)]
    if (from === c.from && to === c.to && type === c.type) return c
    return { ...c, from, to, type }
  }
}
