import type { Drafts, Ghosts } from '../composition/build.ts'
import type { Access, Concept } from '../graph/concept.ts'
import { orderInternal } from '../graph/connection.ts'
import { anonymous, categoryInstance, categoryWord, word } from '../graph/fixed.ts'
import type { Id } from '../graph/id.ts'
import type { Records } from '../graph/mutation.ts'

const access: Access = 4
const owner = anonymous

/**
 * Makes what turns drafts into records with local ids (recordsOf) and gives types theirs (typeOf), whatever the server may have already: it finds
 * values and types by their text, and a real id known here may by then have gone. A type goes by one local
 * id all along. Records that exist are called what real says, because other tabs may not know their local
 * ids.
 */
export function drafting(ids: Ghosts, real: (id: Id) => Id) {
  const types = new Map<string, Concept>()

  const typeOf = (value: string, created: string): Concept => {
    let type = types.get(value)
    if (!type) {
      const [id, category] = [ids.concept(), categoryWord]
      type = { id, type: word, category, value, owner, access, composition: false, created }
      types.set(value, type)
    }
    return type
  }

  const recordsOf = (drafts: Drafts, created: string, order = orderInternal): Records => {
    const used = new Set<Concept>()
    const values = drafts.concepts.map(({ ghost: id, kind, typeName, value }): Concept => {
      const type = typeOf(typeName, created)
      used.add(type)
      const composition = kind === 'composition'
      const category = categoryInstance
      return { id, type: type.id, category, value, owner, access, composition, created }
    })
    const connections = drafts.connections.map(({ ghost, from, to, type }) => ({
      id: ghost,
      from: real(from),
      to: real(to),
      type: real(type),
      order,
      owner,
      access,
      created,
    }))
    return { concepts: [...used, ...values], connections }
  }

  return { typeOf, recordsOf }
}
