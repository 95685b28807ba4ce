import type { Draft, Ghosts, TypeInUse, TypeOf } from '../composition/build.ts'
import type { Access } from '../graph/concept.ts'
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
  const known = new Map<string, TypeInUse>()

  const typeOf: TypeOf = (value, draft) => {
    let type = known.get(value)
    if (!type) {
      const [id, category] = [ghosts.concept(), categoryWord]
      const concept = {
        id,
        type: word,
        category,
        value,
        owner,
        access,
        composition: false,
        created: draft.created,
      }
      type = { concept, draft: undefined, leaf: undefined, leaves: undefined }
      known.set(value, type)
    }
    if (type.draft !== draft) {
      type.draft = draft
      type.leaf = undefined
      type.leaves = undefined
      draft.types.push(type.concept)
    }
    return type
  }

  const begin = (created: string, order = orderInternal): Draft => ({
    types: [],
    concepts: [],
    connections: [],
    ghosts,
    typeOf,
    real,
    order,
    access,
    created,
  })

  const recordsOf = ({ types, concepts, connections }: Draft): Records => ({
    concepts: types.concat(concepts),
    connections,
  })

  return { typeOf, begin, recordsOf }
}
