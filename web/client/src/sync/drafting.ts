import type { Draft, Ghosts } from '../composition/build.ts'
import type { Access, Concept } from '../graph/concept.ts'
import { orderInternal } from '../graph/connection.ts'
import { categoryWord, anonymous as owner, word } from '../graph/fixed.ts'
import type { Id } from '../graph/id.ts'
import type { Records } from '../graph/mutation.ts'

const access: Access = 4

/**
 * Makes drafts of writes (begin), whose records have local ids (recordsOf), and gives types theirs (typeOf), whatever
 * the server may have already: it finds values and types by their text, and a real id known here may by then have
 * gone. A type goes by one local id all along. Records that exist are called what real says, because other tabs may
 * not know their local ids.
 */
export function drafting(ghosts: Ghosts, real: (id: Id) => Id) {
  const types = new Map<string, Concept>()

  const typeOf = (value: string, created: string): Concept => {
    let type = types.get(value)
    if (!type) {
      const [id, category] = [ghosts.concept(), categoryWord]
      type = { id, type: word, category, value, owner, access, composition: false, created }
      types.set(value, type)
    }
    return type
  }

  const begin = (created: string, order = orderInternal): Draft & { types: Set<Concept> } => {
    const types = new Set<Concept>()
    const type = (name: string): Id => {
      const concept = typeOf(name, created)
      types.add(concept)
      return concept.id
    }
    return { types, concepts: [], connections: [], ghosts, type, real, order, access, created }
  }

  const recordsOf = ({ types, concepts, connections }: ReturnType<typeof begin>): Records => ({
    concepts: [...types, ...concepts],
    connections,
  })

  return { typeOf, begin, recordsOf }
}
