import type { Concept } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import { type Id, isReal } from '../model/id.ts'

/**
 * The ids of records. This page keeps each record under its canonical id; its other ids are aliases.
 *
 * For a concept created here, the local id stays canonical and the real id becomes its alias. Ids that an application
 * holds therefore remain valid. For a connection the real id becomes canonical, because applications do not hold
 * connections that are not synced. A look-up costs one Map access for each alias that it follows, and it follows at
 * most two.
 */
export class IdAliases {
  /** Alias → canonical id, or another alias. */
  readonly #aliases = new Map<Id, Id>()
  readonly #realIds = new Map<Id, Id>()
  readonly #connections = new Map<Id, Id>()
  /** Id of a removed concept → local id of the concept that replaces it. */
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

  /** Returns the real id of a concept. A local id that has no real id yet is returned unchanged. */
  real(id: Id): Id {
    const replacement = this.#replacements.size === 0 ? undefined : this.#replacements.get(id)
    if (replacement !== undefined) return this.real(replacement)
    return isReal(id) ? id : (this.#realIds.get(id) ?? id)
  }

  /** Returns the canonical id of a connection: its real id if that is known, otherwise its local id. */
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
