import type { Drafts, Ghosts } from '../composition/build.ts'
import { type Concept, isShared } from '../graph/concept.ts'
import { orderInternal } from '../graph/connection.ts'
import { anonymous, categoryInstance, categoryWord, word } from '../graph/fixed.ts'
import { type Id, isLocal } from '../graph/id.ts'
import type { Records } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'

const privately = 4

/** Turns drafts into records of this graph. A value that is here already is used again, whoever made it. */
export function recordsOf(drafts: Drafts, graph: Graph, ids: Ghosts, created: string): Records {
  const concepts = new Map<Id, Concept>()
  const known = new Map<Id, Id>()
  const types = new Map<string, Id>()
  const stamp = { owner: anonymous, access: privately, created } as const

  /** A mutation brings along what the server does not know yet, whoever made it. */
  const bring = (c: Concept) => {
    if (isLocal(graph.real(c.id))) concepts.set(c.id, c)
  }
  const typeOf = (name: string): Id => {
    let type = types.get(name)
    if (type === undefined) {
      const here = graph.concept(graph.type(name) ?? 0)
      type = here?.id ?? ids.concept()
      bring(
        here ?? {
          id: type,
          type: word,
          category: categoryWord,
          value: name,
          composition: false,
          ...stamp,
        },
      )
      types.set(name, type)
    }
    return type
  }
  for (const { ghost, kind, typeName, value } of drafts.concepts) {
    const type = typeOf(typeName)
    const composition = kind === 'composition'
    const here = composition || !isShared(value) ? undefined : graph.find(type, value)
    if (here) known.set(ghost, here.id)
    bring(here ?? { id: ghost, type, category: categoryInstance, value, composition, ...stamp })
  }
  const connections = drafts.connections.map(({ ghost, from, to, type }) => ({
    id: ghost,
    from,
    to: known.get(to) ?? to,
    type,
    order: orderInternal,
    ...stamp,
  }))
  return { concepts: [...concepts.values()], connections }
}
