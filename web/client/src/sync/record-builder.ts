import type { Draft, LocalIds, TypeInUse, TypeOf } from '../composition/build.ts'
import type { Graph } from '../local/graph.ts'
import { type Access, ownerFor } from '../model/concept.ts'
import { orderInternal } from '../model/connection.ts'
import { anonymous, categoryWord, word } from '../model/fixed.ts'
import type { Records } from '../model/mutation.ts'

/** The access of new records: private. */
const access: Access = 4

/**
 * Returns functions that build the records of a write: `beginDraft` starts a draft, `typeOf` finds or adds a type in
 * it, `recordsOf` returns its records.
 *
 * All new records have local ids, even values and types that the server may already have. The server finds these by
 * their text; a real id that this page has for a value may belong to a removed value. Each type keeps one local id for
 * the life of the page. Existing records are referred to by their real ids, because other tabs may not know their local
 * ids.
 */
export function createRecordBuilder(ids: LocalIds, graph: Graph) {
  const types = new Map<string, TypeInUse>()

  const typeOf: TypeOf = (value, draft) => {
    let type = types.get(value)
    if (!type) {
      const [id, category] = [ids.concept(), categoryWord]
      const concept = {
        id,
        type: word,
        category,
        value,
        owner: anonymous,
        access,
        composition: false,
        created: draft.created,
      }
      type = { concept, draft: undefined, firstLeaf: undefined, leavesByValue: undefined }
      types.set(value, type)
    }
    if (type.draft !== draft) {
      type.draft = draft
      type.firstLeaf = undefined
      type.leavesByValue = undefined
      draft.types.push(type.concept)
    }
    return type
  }

  const beginDraft = (created: string, order = orderInternal): Draft => ({
    types: [],
    concepts: [],
    connections: [],
    localIds: ids,
    typeOf,
    real: (id) => graph.real(id),
    order,
    owner: ownerFor(graph.user),
    access,
    created,
  })

  // An array that grew by `push` reserves room for 16 more items. The arrays are kept as long as the write, so they are
  // copied to their exact size.
  const recordsOf = ({ types, concepts, connections }: Draft): Records => ({
    concepts: types.concat(concepts),
    connections: connections.slice(),
  })

  return { typeOf, beginDraft, recordsOf }
}
