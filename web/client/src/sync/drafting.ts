import type { Drafts, Ghosts } from '../composition/build.ts'
import type { Access, Concept } from '../graph/concept.ts'
import { orderInternal } from '../graph/connection.ts'
import { anonymous, categoryInstance, categoryWord, word } from '../graph/fixed.ts'
import type { Id } from '../graph/id.ts'
import type { Records } from '../graph/mutation.ts'

const access: Access = 4
const owner = anonymous

/**
 * Turns drafts into records with local ids, whatever the server may have already: it finds values and types
 * by their text, and a real id known here may by then have gone. A type goes by one local id all along.
 */
export class Drafting {
  readonly #ids: Ghosts
  readonly #real: (id: Id) => Id
  readonly #types = new Map<string, Concept>()

  /** Records that exist are called what real says, because other tabs may not know their local ids. */
  constructor(ids: Ghosts, real: (id: Id) => Id) {
    this.#ids = ids
    this.#real = real
  }

  records(drafts: Drafts, created: string): Records {
    const types = new Set<Concept>()
    const values = drafts.concepts.map(({ ghost, kind, typeName, value }): Concept => {
      const type = this.#type(typeName, created)
      types.add(type)
      const composition = kind === 'composition'
      const category = categoryInstance
      return { id: ghost, type: type.id, category, value, owner, access, composition, created }
    })
    const real = this.#real
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
    return { concepts: [...types, ...values], connections }
  }

  #type(value: string, created: string): Concept {
    let type = this.#types.get(value)
    if (!type) {
      const id = this.#ids.concept()
      const category = categoryWord
      type = { id, type: word, category, value, owner, access, composition: false, created }
      this.#types.set(value, type)
    }
    return type
  }
}
