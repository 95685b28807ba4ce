import { type Concept, isType } from '../graph/concept.ts'
import type { Id } from '../graph/id.ts'
import { Adjacency } from './adjacency.ts'

/** Types by name, concepts by type and by value. Each index is built when first asked for. */
export class ConceptIndex {
  readonly #concepts: ReadonlyMap<Id, Concept>
  readonly #instances: Adjacency<Concept>
  #types: Map<string, Id> | undefined
  /** By the name of the type. */
  readonly #values = new Map<string | undefined, Map<string, Concept>>()

  constructor(concepts: ReadonlyMap<Id, Concept>) {
    this.#concepts = concepts
    this.#instances = new Adjacency(
      (c) => c.type,
      () => concepts.values(),
    )
  }

  type(name: string): Id | undefined {
    this.#types ??= new Map([...this.#concepts.values()].filter(isType).map((c) => [c.value, c.id]))
    return this.#types.get(name)
  }

  ofType(type: Id): readonly Concept[] {
    return this.#instances.get(type)
  }

  /** A concept of the type of that name with a value: any one of them. */
  find(type: string, value: string): Concept | undefined {
    let values = this.#values.get(type)
    if (!values) {
      values = new Map(this.ofType(this.type(type) ?? 0).map((c) => [c.value, c]))
      this.#values.set(type, values)
    }
    return values.get(value)
  }

  add(c: Concept): void {
    this.#instances.add(c)
    this.#values.get(this.#typeOf(c))?.set(c.value, c)
    if (!isType(c)) return
    this.#types?.set(c.value, c.id)
    this.#values.delete(c.value)
  }

  /** Another of that name or value, if there is one, takes the place of the one that has gone. */
  delete(c: Concept): void {
    this.#instances.delete(c)
    this.#values.delete(this.#typeOf(c))
    this.#values.delete(c.value)
    if (this.#types?.get(c.value) === c.id) this.#types = undefined
  }

  #typeOf(c: Concept): string | undefined {
    return this.#concepts.get(c.type)?.value
  }
}
