import { type Concept, isShared, isType } from '../graph/concept.ts'
import type { Id } from '../graph/id.ts'
import { addTo } from './sets.ts'

/** Concepts by value and by type. Each index is built when first asked for and kept from then on. */
export class ConceptIndex {
  readonly #concepts: ReadonlyMap<Id, Concept>
  #values: Map<Id, Map<string, Concept>> | undefined
  #types: Map<string, Concept> | undefined
  #instances: Map<Id, Set<Concept>> | undefined

  constructor(concepts: ReadonlyMap<Id, Concept>) {
    this.#concepts = concepts
  }

  find(type: Id, value: string): Concept | undefined {
    this.#values ??= this.#all(putValue)
    return this.#values.get(type)?.get(value)
  }

  type(name: string): Id | undefined {
    this.#types ??= this.#all(putType)
    return this.#types.get(name)?.id
  }

  ofType(type: Id): readonly Concept[] {
    this.#instances ??= this.#all(putInstance)
    return [...(this.#instances.get(type) ?? [])]
  }

  add(c: Concept): void {
    if (this.#instances) putInstance(this.#instances, c)
    if (this.#values) putValue(this.#values, c)
    if (this.#types) putType(this.#types, c)
  }

  delete(c: Concept): void {
    this.#instances?.get(c.type)?.delete(c)
    const values = this.#values?.get(c.type)
    if (values?.get(c.value) === c) values.delete(c.value)
    if (this.#types?.get(c.value) === c) this.#types.delete(c.value)
  }

  /** Of two concepts with one value the indexes know one. When it has gone, the other takes its place. */
  replace(c: Concept): void {
    if (isType(c)) this.#types = undefined
    if (!this.#values || c.composition) return
    for (const twin of this.ofType(c.type)) if (twin.value === c.value) putValue(this.#values, twin)
  }

  #all<K, V>(put: (index: Map<K, V>, c: Concept) => void): Map<K, V> {
    const index = new Map<K, V>()
    for (const c of this.#concepts.values()) put(index, c)
    return index
  }
}

function putType(index: Map<string, Concept>, c: Concept): void {
  if (isType(c)) index.set(c.value, c)
}

function putValue(index: Map<Id, Map<string, Concept>>, c: Concept): void {
  if (c.composition || !isShared(c.value)) return
  const values = index.get(c.type)
  if (values === undefined) index.set(c.type, new Map([[c.value, c]]))
  else if (!values.has(c.value)) values.set(c.value, c)
}

const putInstance = (index: Map<Id, Set<Concept>>, c: Concept): void => addTo(index, c.type, c)
