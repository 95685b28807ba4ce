import { type Concept, isType } from '../graph/concept.ts'
import type { Id } from '../graph/id.ts'
import { Adjacency } from './adjacency.ts'

/** Types by name, concepts by type and by value. Each index is built when asked for while it is empty. */
export class ConceptIndex {
  readonly #concepts: ReadonlyMap<Id, Concept>
  readonly #instances: Adjacency<Concept>
  readonly #types = new Map<string, Id>()
  /** By type, of those types that values were looked for in. */
  readonly #values = new Map<Id, Adjacency<Concept, string>>()

  constructor(concepts: ReadonlyMap<Id, Concept>) {
    this.#concepts = concepts
    this.#instances = new Adjacency(
      (c) => c.type,
      () => concepts.values(),
    )
  }

  type(name: string): Id | undefined {
    if (this.#types.size === 0) for (const c of this.#concepts.values()) this.#put(c)
    return this.#types.get(name)
  }

  ofType(type: Id): readonly Concept[] {
    return this.#instances.get(type)
  }

  /** The concepts of a type with a value. */
  find(type: Id, value: string): readonly Concept[] {
    let values = this.#values.get(type)
    if (values === undefined) {
      values = new Adjacency(
        (c) => c.value,
        () => this.ofType(type),
      )
      this.#values.set(type, values)
    }
    return values.get(value)
  }

  add(c: Concept): void {
    this.#instances.add(c)
    this.#values.get(c.type)?.add(c)
    if (this.#types.size > 0) this.#put(c)
  }

  /** Another of that name, if there is one, takes the place of the one that has gone. */
  delete(c: Concept): void {
    this.#instances.delete(c)
    this.#values.get(c.type)?.delete(c)
    if (this.#types.get(c.value) === c.id) this.#types.clear()
  }

  #put(c: Concept): void {
    if (isType(c)) this.#types.set(c.value, c.id)
  }
}
