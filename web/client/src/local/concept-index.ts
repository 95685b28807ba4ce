import { type Concept, isType } from '../graph/concept.ts'
import type { Id } from '../graph/id.ts'
import { addTo } from './sets.ts'

/** Types by name and concepts by type. Each index is built when first asked for and kept from then on. */
export class ConceptIndex {
  readonly #concepts: ReadonlyMap<Id, Concept>
  #types: Map<string, Id> | undefined
  #instances: Map<Id, Set<Concept>> | undefined

  constructor(concepts: ReadonlyMap<Id, Concept>) {
    this.#concepts = concepts
  }

  type(name: string): Id | undefined {
    this.#types ??= this.#all(putType)
    return this.#types.get(name)
  }

  ofType(type: Id): readonly Concept[] {
    this.#instances ??= this.#all(putInstance)
    return [...(this.#instances.get(type) ?? [])]
  }

  add(c: Concept): void {
    if (this.#instances) putInstance(this.#instances, c)
    if (this.#types) putType(this.#types, c)
  }

  /** Another type of that name, if there is one, takes the place of the one that has gone. */
  delete(c: Concept): void {
    this.#instances?.get(c.type)?.delete(c)
    if (this.#types?.get(c.value) === c.id) this.#types = undefined
  }

  #all<K, V>(put: (index: Map<K, V>, c: Concept) => void): Map<K, V> {
    const index = new Map<K, V>()
    for (const c of this.#concepts.values()) put(index, c)
    return index
  }
}

function putType(index: Map<string, Id>, c: Concept): void {
  if (isType(c)) index.set(c.value, c.id)
}

const putInstance = (index: Map<Id, Set<Concept>>, c: Concept): void => addTo(index, c.type, c)
