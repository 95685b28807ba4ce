import type { Drafts, Ghosts } from '../composition/build.ts'
import { type Access, type Concept, isShared } from '../graph/concept.ts'
import { orderInternal } from '../graph/connection.ts'
import { anonymous, categoryInstance, categoryWord, word } from '../graph/fixed.ts'
import { type Id, isLocal } from '../graph/id.ts'
import type { Records } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'

const privately: Access = 4

/**
 * Turns drafts into records of this graph. A value that is here already is used again, whoever made it.
 * What has a real id is called by it, because other tabs may not have heard which local id that was.
 */
export function recordsOf(drafts: Drafts, graph: Graph, ids: Ghosts, created: string): Records {
  const concepts: Concept[] = []
  const known = new Map<Id, Id>()
  const types = new Map<string, Id>()
  const owner = anonymous
  const access = privately

  const make = (id: Id, type: Id, category: Id, value: string, composition = false): Id => {
    concepts.push({ id, type, category, value, owner, access, composition, created })
    return id
  }
  /** A mutation brings along what the server does not know yet, whoever made it. */
  const use = (c: Concept): Id => {
    const id = graph.real(c.id)
    if (isLocal(id)) concepts.push(c)
    return id
  }
  const typeOf = (name: string): Id => {
    let type = types.get(name)
    if (type !== undefined) return type
    const here = graph.concept(graph.type(name) ?? 0)
    type = here ? use(here) : make(ids.concept(), word, categoryWord, name)
    types.set(name, type)
    return type
  }
  for (const { ghost, kind, typeName, value } of drafts.concepts) {
    const type = typeOf(typeName)
    const composition = kind === 'composition'
    const here = composition || !isShared(value) ? undefined : graph.find(type, value)
    if (here) known.set(ghost, use(here))
    else make(ghost, type, categoryInstance, value, composition)
  }
  const real = (id: Id) => graph.real(known.get(id) ?? id)
  const connections = drafts.connections.map(({ ghost, from, to, type }) => ({
    id: ghost,
    from: real(from),
    to: real(to),
    type: real(type),
    order: orderInternal,
    owner,
    access,
    created,
  }))
  return { concepts, connections }
}
