import { build, type Draft, type TypeOf } from '../composition/build.ts'
import type { FieldInput } from '../composition/value.ts'
import { type Access, type Concept, isShared } from '../graph/concept.ts'
import { type Connection, orderInternal, orderLink } from '../graph/connection.ts'
import { WeftError } from '../graph/error.ts'
import { categoryPrototype, anonymous as owner } from '../graph/fixed.ts'
import { type Id, isLocal } from '../graph/id.ts'
import type { Records } from '../graph/mutation.ts'
import type { Inside } from '../inside.ts'
import type { Graph } from '../local/graph.ts'

/** What may be said of what is made. */
export interface Made {
  /** Who may read it besides its owner: 4, nobody, when left out. */
  readonly access?: Access
}

/** The records of one write, collected. Types are found or made by name. */
export interface Batch {
  /** The type of that name, as an end or as the type of a connection. */
  type(name: string): Id
  /** A value, or a nested record, of a type that is used as written. Equal short texts are one concept. */
  value(type: string, value: FieldInput, access?: Access): Id
  /** A pattern for instances of a type. */
  prototype(type: string): Id
  /** Throws `invalid` where it would lead nowhere, or from a concept to itself. Returns its local id. */
  connect(from: Id, type: Id, to: Id, order?: number): Id
  /** What adds the records of a nested record, or of a part of one. */
  draft(order?: number, access?: Access): Draft
  records(): Records
}

export function batch({ graph, ids, typeOf }: Inside, access: Access = 4): Batch {
  const created = new Date().toISOString()
  const types = new Map<Id, Concept>()
  const shared = new Map<string, Id>()
  const concepts: Concept[] = []
  const connections: Connection[] = []
  const kept = { owner, created }

  const use: TypeOf = (name, own) => {
    const type = typeOf(name, own)
    types.set(type.concept.id, type.concept)
    return type
  }

  const type = (name: string): Id => use(name, draft()).concept.id

  const value = (typeName: string, input: FieldInput, own = access): Id => {
    const made: Draft = { ...draft(orderInternal, own), concepts: [], connections: [] }
    const main = build(made, typeName, input)
    const [head] = made.concepts
    if (!head || !isShared(head.value)) {
      for (const c of made.concepts) concepts.push(c)
      for (const c of made.connections) connections.push(c)
      return main
    }
    const text = `${own}${head.type}\0${head.value}`
    const known = shared.get(text)
    if (known !== undefined) return known
    // One that waits is sent again as what it is: the server knows it by that id.
    const twin = graph.find(types.get(head.type)?.value ?? '', head.value)
    const waits = twin && isLocal(graph.real(twin.id)) && reaches(graph, twin, own)
    const id = waits ? twin.id : main
    shared.set(text, id)
    concepts.push({ ...head, id })
    return id
  }

  const prototype = (name: string): Id => {
    const id = ids.concept()
    const [of, category, composition] = [type(name), categoryPrototype, true]
    concepts.push({ id, type: of, category, value: name, access, composition, ...kept })
    return id
  }

  const real = (id: Id): Id => (types.has(id) ? id : graph.real(id))

  const connect = (from: Id, type: Id, to: Id, order = orderLink): Id => {
    if (!from || !to || !type || graph.name(from) === graph.name(to)) {
      const seen = `${from} with ${to} by ${type}`
      throw new WeftError('invalid', `a connection is between two concepts, not ${seen}`)
    }
    const id = ids.connection()
    const ends = { from: real(from), to: real(to), type: real(type) }
    connections.push({ id, ...ends, order, access, ...kept })
    return id
  }

  const draft = (order = orderInternal, own = access): Draft => ({
    types: [],
    concepts,
    connections,
    ghosts: ids,
    typeOf: use,
    real,
    order,
    access: own,
    created,
  })

  const records = () => ({ concepts: [...types.values(), ...concepts], connections })

  return { type, value, prototype, connect, draft, records }
}

/** Says whether a value that is made for some readers is one with another, equal one. */
export function reaches(graph: Graph, { access, owner: whose }: Concept, wanted: Access): boolean {
  if (access !== wanted) return false
  return access === 5 || whose === owner || String(whose) === graph.user
}
