import type { Client } from '../api.ts'
import { isIndex } from '../composition/read.ts'
import { type Fields, type FieldValue, maxDepth, maxValues, setOwn } from '../composition/value.ts'
import { type Internals, internalsOf } from '../internals.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { withoutPrefix, withPrefix } from '../model/type.ts'
import { allConnections } from './all-connections.ts'
import { getConcepts } from './look-up-concepts.ts'

/**
 * Reads data that `createData` wrote, as nested strings under its type. Undefined if the data does not exist. Links to
 * other records are left out. An empty object under a key that ends in `_s` is returned as an empty list. Throws
 * `tooLarge` above 100 levels or a million values.
 *
 * Costs at least one request for each composition; the requests of one level are sent concurrently.
 */
export async function readData(client: Client, id: Id): Promise<Fields | undefined> {
  const internals = internalsOf(client)
  const [concept] = await getConcepts(client, [id])
  const type = concept && typeNameOf(internals, concept.id)
  if (!concept || type === undefined) return undefined
  const members = await readMembers(concept.id)
  let count = 0
  const value = readValue(concept.id, 1)
  const data = {}
  setOwn(data, Array.isArray(value) ? type.replace(listType, '') : type, value)
  return data

  /** Fetches the members of all compositions below `top`, each once. */
  async function readMembers(top: Id): Promise<ReadonlyMap<Id, readonly Member[]>> {
    const all = new Map<Id, readonly Member[]>()
    let level: readonly Id[] = [top]
    for (let depth = 0; level.length > 0 && depth < maxDepth; depth++) {
      const found = await Promise.all(
        level.map(async (id) => selectMembers(internals, id, await fetchLinks(id))),
      )
      for (const [i, id] of level.entries()) all.set(id, found[i] ?? [])
      const next = new Set(found.flat().map((m) => m.id))
      level = [...next].filter((id) => !all.has(id) && internals.graph.concept(id)?.composition)
    }
    return all
  }

  async function fetchLinks(id: Id): Promise<readonly Id[]> {
    if (!internals.graph.concept(id)?.composition) return []
    return (await allConnections(client, id)).map((c) => c.id)
  }

  function readValue(id: Id, depth: number): FieldValue {
    if (++count > maxValues)
      throw new WeftError('tooLarge', `data ${id} has more than ${maxValues} values`)
    const concept = internals.graph.concept(id)
    if (!concept?.composition) return concept?.value ?? ''
    if (depth > maxDepth)
      throw new WeftError('tooLarge', `data ${id} is nested deeper than ${maxDepth} levels`)
    const own = members.get(id) ?? []
    const values = own.map((m) => readValue(m.id, depth + 1))
    const mayBeList = listType.test(typeNameOf(internals, id) ?? '') || own.length > 0
    if (mayBeList && own.every((m) => m.key === '')) return values
    const fields: Record<string, FieldValue> = {}
    own.forEach((m, i) => void setOwn(fields, m.key || m.name, values[i]))
    return fields
  }
}

/** Matches the type names of lists. */
const listType = /_s$/

interface Member {
  readonly id: Id
  /** The key, or `''` for an item of a list. */
  readonly key: string
  /** Name of the type, without `the_`. */
  readonly name: string
}

/** Selects the links of a composition that are data, oldest first. */
function selectMembers(internals: Internals, of: Id, links: readonly Id[]): Member[] {
  const { graph } = internals
  const source = typeNameOf(internals, of) ?? ''
  return links.flatMap((link): Member[] => {
    const c = graph.connection(link)
    const relation = c && graph.concept(c.type)?.value
    const type = c && typeNameOf(internals, c.to)
    if (!c || relation === undefined || type === undefined) return []
    if (!relation.startsWith(`${source}_`)) return []
    const [key, name] = [relation.slice(source.length + 1), withoutPrefix(type)]
    // Other clients write list items under their index.
    const isItem = key === '' ? listType.test(source) : key === 's_' && isIndex(name)
    if (isItem) return [{ id: c.to, key: '', name }]
    const isMember = [withPrefix(key), `${withPrefix(key)}_s`].includes(type)
    return key === '' || isMember ? [{ id: c.to, key: key || name, name }] : []
  })
}

function typeNameOf({ graph }: Internals, id: Id): string | undefined {
  return graph.concept(graph.concept(id)?.type ?? 0)?.value
}
