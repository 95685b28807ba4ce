import type { Client } from '../api.ts'
import { isIndex } from '../composition/read.ts'
import { type Fields, type FieldValue, maxDepth, maxValues, put } from '../composition/value.ts'
import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { withoutPrefix, withPrefix } from '../graph/type.ts'
import { type Inside, insideOf } from '../inside.ts'
import { allConnections } from './connections.ts'
import { concepts } from './look-up.ts'

/**
 * What `createData` made, read back as nested texts under its type. Undefined when nobody has it. Links that are
 * no data, as those to other records, are left out. An empty object under a key that ends in `_s` is an empty list.
 * Throws `tooLarge` beyond 100 levels or a million values.
 */
export async function readData(client: Client, id: Id): Promise<Fields | undefined> {
  const inside = insideOf(client)
  const [concept] = await concepts(client, [id])
  const type = concept && typeOf(inside, concept.id)
  if (!concept || type === undefined) return undefined
  const members = await membersUnder(concept.id)
  let count = 0
  const value = valueAt(concept.id, 1)
  const data = {}
  put(data, Array.isArray(value) ? type.replace(list, '') : type, value)
  return data

  /** What each composition under one holds, fetched once however many ways lead there. */
  async function membersUnder(top: Id): Promise<ReadonlyMap<Id, readonly Member[]>> {
    const all = new Map<Id, readonly Member[]>()
    let level: readonly Id[] = [top]
    for (let depth = 0; level.length > 0 && depth < maxDepth; depth++) {
      const found = await Promise.all(
        level.map(async (id) => membersOf(inside, id, await linksOf(id))),
      )
      for (const [i, id] of level.entries()) all.set(id, found[i] ?? [])
      const next = new Set(found.flat().map((m) => m.id))
      level = [...next].filter((id) => !all.has(id) && inside.graph.concept(id)?.composition)
    }
    return all
  }

  async function linksOf(id: Id): Promise<readonly Id[]> {
    if (!inside.graph.concept(id)?.composition) return []
    return (await allConnections(client, id)).map((c) => c.id)
  }

  function valueAt(id: Id, depth: number): FieldValue {
    if (++count > maxValues)
      throw new WeftError('tooLarge', `data ${id} is made of more than ${maxValues} values`)
    const concept = inside.graph.concept(id)
    if (!concept?.composition) return concept?.value ?? ''
    if (depth > maxDepth)
      throw new WeftError('tooLarge', `data ${id} is nested deeper than ${maxDepth} levels`)
    const held = members.get(id) ?? []
    const values = held.map((m) => valueAt(m.id, depth + 1))
    const items = list.test(typeOf(inside, id) ?? '') || held.length > 0
    if (items && held.every((m) => m.key === '')) return values
    const fields: Record<string, FieldValue> = {}
    held.forEach((m, i) => void put(fields, m.key || m.name, values[i]))
    return fields
  }
}

/** The type of a list. */
const list = /_s$/

interface Member {
  readonly id: Id
  /** `''` for an item of a list. */
  readonly key: string
  /** The name of its type, without `the_`. */
  readonly name: string
}

/** What a composition holds as data, oldest first. */
function membersOf(inside: Inside, of: Id, links: readonly Id[]): Member[] {
  const { graph } = inside
  const source = typeOf(inside, of) ?? ''
  return links.flatMap((link): Member[] => {
    const c = graph.connection(link)
    const relation = c && graph.concept(c.type)?.value
    const type = c && typeOf(inside, c.to)
    if (!c || relation === undefined || type === undefined) return []
    if (!relation.startsWith(`${source}_`)) return []
    const [key, name] = [relation.slice(source.length + 1), withoutPrefix(type)]
    // Lists of other clients have items named by their place.
    const item = key === '' ? list.test(source) : key === 's_' && isIndex(name)
    if (item) return [{ id: c.to, key: '', name }]
    const kept = [withPrefix(key), `${withPrefix(key)}_s`].includes(type)
    return key === '' || kept ? [{ id: c.to, key: key || name, name }] : []
  })
}

function typeOf({ graph }: Inside, id: Id): string | undefined {
  return graph.concept(graph.concept(id)?.type ?? 0)?.value
}
