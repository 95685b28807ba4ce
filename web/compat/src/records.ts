import type { Id, Concept as StoredConcept, Connection as StoredConnection } from '@weft/client'
import { type Internals, isType, type Reader } from '@weft/client/internal'
import { Concept, CreateDefaultConcept } from './model/concept.ts'
import { Connection } from './model/connection.ts'
import { orderLink } from './model/constants.ts'
import { currentInternals } from './start.ts'

/*
 * Conversion between records of the client and the shape of the wire contract. A synced record has a local and a real
 * id; calls accept both, and results have the real id.
 */

type Graph = Internals['graph']

/** Returns a loaded concept, or the concept with id 0. */
export function conceptOf(
  id: Id,
  { graph }: Pick<Internals, 'graph'> = currentInternals(),
): Concept {
  const stored = graph.concept(id)
  return stored ? toConcept(graph, stored) : CreateDefaultConcept()
}

/** Converts a concept and its type. */
export function toConcept(graph: Graph, stored: StoredConcept): Concept {
  const type = graph.concept(stored.type)
  const concept = toConceptWithoutType(graph, stored, type?.value ?? '')
  if (type) concept.type = toConceptWithoutType(graph, type, graph.concept(type.type)?.value ?? '')
  return concept
}

function toConceptWithoutType(graph: Graph, stored: StoredConcept, typeName: string): Concept {
  const { owner, category, value, access, composition, created, x = 0, y = 0 } = stored
  const id = graph.real(stored.id)
  const type = graph.real(stored.type)
  const concept = new Concept(
    id,
    owner,
    type,
    graph.real(category),
    0,
    value,
    access,
    false,
    created,
    created,
    typeName,
  )
  return Object.assign(concept, {
    ghostId: stored.id,
    isComposition: composition,
    isTemp: id < 0,
    x,
    y,
  })
}

/** Converts a connection. Includes its ends and its type if they are loaded. */
export function toConnection(graph: Graph, stored: StoredConnection): Connection {
  const type = graph.concept(stored.type)
  const connection = new Connection(
    graph.realConnection(stored.id),
    graph.real(stored.from),
    graph.real(stored.to),
    stored.owner,
    graph.real(stored.type),
    // The server numbers links itself.
    stored.order || orderLink,
    stored.access,
  )
  const end = (id: Id) => conceptOf(id, { graph })
  return Object.assign(connection, {
    ghostId: stored.id,
    entryTimeStamp: stored.created,
    typeCharacter: type?.value ?? '',
    isTemp: connection.id < 0,
    type: end(stored.type),
    ofConcept: end(stored.from),
    toConcept: end(stored.to),
  })
}

/** Returns a reader of the graph that returns records with their real ids, where these exist. */
export function realReader(graph: Graph): Reader {
  const concept = (c: StoredConcept | undefined): StoredConcept | undefined =>
    c && (c.id < 0 || c.type < 0) ? { ...c, id: graph.real(c.id), type: graph.real(c.type) } : c
  const link = (c: StoredConnection): StoredConnection =>
    Math.min(c.id, c.from, c.to, c.type) < 0
      ? {
          ...c,
          id: graph.realConnection(c.id),
          from: graph.real(c.from),
          to: graph.real(c.to),
          type: graph.real(c.type),
        }
      : c
  return {
    concept: (id) => concept(graph.concept(id)),
    connection(id) {
      const found = graph.connection(id)
      return found && link(found)
    },
    out: (id, type) => graph.out(id, type).map(link),
    in: (id, type) => graph.in(id, type).map(link),
    type(name) {
      const id = graph.type(name)
      return id === undefined ? undefined : graph.real(id)
    },
    find: (type, value) => concept(graph.find(type, value)),
    instances: (type) => graph.instances(type).map((id) => graph.real(id)),
  }
}

/** Converts records of the wire contract, such as those of a response, to those of the client. */
export const fromConcept = (c: Concept): StoredConcept => ({
  id: c.id,
  type: c.typeId,
  category: c.categoryId,
  value: c.characterValue,
  owner: c.userId,
  access: c.accessId as StoredConcept['access'],
  composition: c.isComposition,
  created: String(c.entryTimeStamp),
  ...(c.x && { x: c.x }),
  ...(c.y && { y: c.y }),
})

export const fromConnection = (c: Connection): StoredConnection => ({
  id: c.id,
  from: c.ofTheConceptId,
  to: c.toTheConceptId,
  type: c.typeId,
  order: c.orderId,
  owner: c.userId,
  access: c.accessId as StoredConnection['access'],
  created: String(c.entryTimeStamp),
})

/** Returns the type to give a new connection: the name of a type concept, or the id of a composition or a linker. */
export function connectionType({ graph }: Internals, typeId: Id): Id | string {
  const type = graph.concept(typeId)
  return type && isType(type) ? type.value : typeId
}
