import type { Concept } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import { type Id, isReal } from '../model/id.ts'

/**
 * The ids of records other than their canonical id, under which this page keeps them.
 *
 * A concept created here keeps its local id, and its real id becomes an alias of that, so that ids an application holds
 * remain valid. A connection takes its real id, because applications hold no connections that are not synced.
 * A look-up costs one Map access for each alias that it follows, and it follows at most two.
 */
export class IdAliases {
  /** Alias → canonical id, or another alias. */
  readonly #aliases = new Map<Id, Id>()
  readonly #realIds = new Map<Id, Id>()
  readonly #connections = new Map<Id, Id>()
  /** The ids of removed concepts → the local id of a concept that takes their place. */
  readonly #replacements = new Map<Id, Id>()

  /** Returns the canonical id of a concept. */
  canonical(id: Id): Id {
    if (this.#aliases.size === 0) return id
    let canonical = id
    for (;;) {
      const next = this.#aliases.get(canonical)
      if (next === undefined) return canonical
      canonical = next
    }
  }

  /** Returns the id that the server knows: a real id unchanged, and a local id unchanged while it has no real one. */
  real(id: Id): Id {
    const replacement = this.#replacements.size === 0 ? undefined : this.#replacements.get(id)
    if (replacement !== undefined) return this.real(replacement)
    return isReal(id) ? id : (this.#realIds.get(id) ?? id)
  }

  /** Returns the canonical id of a connection, which is the real one once that is known. */
  connection(id: Id): Id {
    return this.#connections.size === 0 ? id : (this.#connections.get(id) ?? id)
  }

  setRealId(local: Id, real: Id): void {
    this.#realIds.set(local, real)
  }

  /** Makes one id an alias of another. */
  addAlias(alias: Id, canonical: Id): void {
    this.#aliases.set(alias, canonical)
  }

  /** Makes the ids of a removed concept refer to another concept. */
  replace(removed: Id, replacement: Id): void {
    const real = this.real(removed)
    this.#aliases.set(removed, replacement)
    this.#replacements.set(real, replacement)
    this.#replacements.set(removed, replacement)
  }

  setRealConnectionId(local: Id, real: Id): void {
    this.#connections.set(local, real)
  }

  /** Returns the concept with canonical ids, or the same object if all its ids are canonical. */
  canonicalConcept(c: Concept): Concept {
    if (this.#aliases.size === 0) return c
    const id = this.canonical(c.id)
    const type = this.canonical(c.type)
    const category = this.canonical(c.category)
    if (id === c.id && type === c.type && category === c.category) return c
    return { ...c, id, type, category }
  }

  /** Returns the connection with canonical ids, or the same object if all its ids are canonical. */
  canonicalConnection(c: Connection): Connection {
    if (this.#aliases.size === 0) return c
    const from = this.canonical(c.from)
    const to = this.canonical(c.to)
    const type = this.canonical(c.type)
    if (from === c.from && to === c.to && type === c.type) return c
    return { ...c, from, to, type }
  }
}
