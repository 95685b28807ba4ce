import { build, type Draft, type TypeOf } from '../composition/build.ts'
import type { FieldInput } from '../composition/value.ts'
import type { Internals } from '../internals.ts'
import type { Graph } from '../local/graph.ts'
import { type Access, type Concept, isShared, ownerFor } from '../model/concept.ts'
import { type Connection, orderInternal, orderLink } from '../model/connection.ts'
import { anonymous, categoryPrototype } from '../model/fixed.ts'
import { type Id, isLocal } from '../model/id.ts'
import type { Records } from '../model/mutation.ts'
import { checkEnds } from './connection-ends.ts'

export interface AccessOptions {
  /** Read access besides the owner's: 3 for administrators, 4 for no other user, 5 for everyone. Default: 4. */
  readonly access?: Access
}

/** Creates an empty batch. */
export const createBatch = (internals: Internals, access: Access = 4): Batch =>
  new Batch(internals, access)

/** Collects the records of one write. Types are found or created by name. */
export class Batch {
  readonly #graph: Graph
  readonly #ids: Internals['ids']
  readonly #findType: TypeOf
  readonly #owner: Id
  readonly #access: Access
  readonly #created = new Date().toISOString()
  readonly #types = new Map<Id, Concept>()
  /** Ids of the short values in this batch, by access, type and text. */
  readonly #sharedTexts = new Map<string, Id>()
  readonly #concepts: Concept[] = []
  readonly #connections: Connection[] = []

  constructor({ graph, ids, typeOf }: Internals, access: Access) {
    this.#graph = graph
    this.#ids = ids
    this.#findType = typeOf
    this.#owner = ownerFor(graph.user)
    this.#access = access
  }

  /** Adds a type, by its name as written, and returns its id. */
  addType(name: string): Id {
    return this.#useType(name, this.createDraft()).concept.id
  }

  /** Adds a value or a nested record, and returns its id. Equal short values of one type become one concept. */
  addValue(typeName: string, input: FieldInput, access = this.#access): Id {
    const draft = { ...this.createDraft(orderInternal, access), concepts: [], connections: [] }
    const { concepts, connections }: Draft = draft
    const main = build(draft, typeName, input)
    const [head] = concepts
    if (head && isShared(head.value)) return this.#addSharedText(head, main, access)
    for (const c of concepts) this.#concepts.push(c)
    for (const c of connections) this.#connections.push(c)
    return main
  }

  #addSharedText(head: Concept, main: Id, access: Access): Id {
    const key = `${access}${head.type}\0${head.value}`
    const known = this.#sharedTexts.get(key)
    if (known !== undefined) return known
    // A pending concept keeps its local id. By this id the server recognises a concept that is sent twice.
    const typeName = this.#types.get(head.type)?.value ?? ''
    const existing = this.#graph.find(typeName, head.value)
    const isPending =
      existing &&
      isLocal(this.#graph.real(existing.id)) &&
      canShareValue(this.#graph, existing, access)
    const id = isPending ? existing.id : main
    this.#sharedTexts.set(key, id)
    this.#concepts.push({ ...head, id })
    return id
  }

  /** Adds a prototype for the instances of a type, and returns its id. */
  addPrototype(typeName: string): Id {
    const id = this.#ids.concept()
    const [type, category, composition] = [this.addType(typeName), categoryPrototype, true]
    const [access, created] = [this.#access, this.#created]
    this.#concepts.push({
      id,
      type,
      category,
      value: typeName,
      access,
      composition,
      owner: this.#owner,
      created,
    })
    return id
  }

  /**
   * Adds a connection and returns its local id. Throws `invalid` if the type is missing or the ends are missing or
   * equal.
   */
  addConnection(from: Id, type: Id, to: Id, order = orderLink, access = this.#access): Id {
    checkEnds(this.#graph, from, type, to)
    const id = this.#ids.connection()
    const ends = { from: this.#real(from), to: this.#real(to), type: this.#real(type) }
    const owner = this.#owner
    this.#connections.push({ id, ...ends, order, access, owner, created: this.#created })
    return id
  }

  /** Creates a draft of nested data. Its records are added to this batch. */
  createDraft(order = orderInternal, access = this.#access): Draft {
    return {
      types: [],
      concepts: this.#concepts,
      connections: this.#connections,
      localIds: this.#ids,
      typeOf: this.#useType,
      real: this.#real,
      order,
      owner: this.#owner,
      access,
      created: this.#created,
    }
  }

  /** Returns the records, types first. */
  records(): Records {
    return {
      concepts: [...this.#types.values(), ...this.#concepts],
      connections: this.#connections,
    }
  }

  readonly #useType: TypeOf = (name, draft) => {
    const type = this.#findType(name, draft)
    this.#types.set(type.concept.id, type.concept)
    return type
  }

  /**
   * Returns the real id of a concept. Returns the id of a type of this batch unchanged, because the batch contains the
   * type.
   */
  readonly #real = (id: Id): Id => (this.#types.has(id) ? id : this.#graph.real(id))
}

/** Reports whether an existing value can replace an equal one with the given access. */
export function canShareValue(graph: Graph, { access, owner }: Concept, wanted: Access): boolean {
  if (access !== wanted) return false
  return access === 5 || owner === anonymous || String(owner) === graph.user
}
