import type { Id } from '../src/model/id.ts'
import { type Field, type } from './operation.ts'

/** A record on the server, with all values of each field. The values of the oldest connections come first. */
export interface StoredRecord {
  readonly id: Id
  readonly key: string | undefined
  readonly values: Readonly<Record<Field, readonly string[]>>
  /** The ids of linked records, once for each link. */
  readonly links: readonly Id[]
}

interface Concept {
  readonly id: Id
  readonly characterValue: string
  readonly type: { readonly characterValue: string }
}

interface Connection {
  readonly id: Id
  readonly ofTheConceptId: Id
  readonly toTheConceptId: Id
  readonly typeId: Id
}

/** Reads all records of a trial from the server, with the simplest requests. */
export async function readServerState(url: string): Promise<StoredRecord[]> {
  const roots = await recordIds(url)
  const links = await post<Connection[]>(url, '/api/get_all_connections_of_composition_bulk', roots)
  const ends = [...new Set(links.map((c) => c.toTheConceptId))]
  const concepts = new Map<Id, Concept>()
  for (let i = 0; i < ends.length; i += 1_000) {
    const ids = ends.slice(i, i + 1_000)
    for (const c of await post<Concept[]>(url, '/api/get_concept_bulk', ids)) concepts.set(c.id, c)
  }
  const linked: Id[][] = []
  // The requests are sent one at a time, because parallel requests for all records would overload a busy machine.
  for (const id of roots) linked.push(await linksFrom(url, id))
  return roots.map((id, i) => {
    const inside = links.filter((c) => c.typeId === id).toSorted((a, b) => a.id - b.id)
    const values = (name: string, from: Id) =>
      inside
        .filter((c) => c.ofTheConceptId === from)
        .map((c) => concepts.get(c.toTheConceptId))
        .filter((c) => c?.type.characterValue === name)
    const at = values('at', id).flatMap((head) => values('the_x', head?.id ?? 0))
    const texts = (list: readonly (Concept | undefined)[]) =>
      list.map((c) => `${c?.characterValue}`)
    const [key] = texts(values('the_key', id))
    const stored = { text: texts(values('the_text', id)), at: texts(at) }
    return { id, key, values: stored, links: linked[i] ?? [] }
  })
}

/** Returns the targets of the connections from a record to others. */
async function linksFrom(url: string, id: Id): Promise<Id[]> {
  const response = await fetch(`${url}/api/get-all-linkers-from-concept?conceptId=${id}`)
  const all = (await response.json()) as Connection[]
  return all.filter((c) => c.typeId !== id).map((c) => c.toTheConceptId)
}

async function recordIds(url: string): Promise<Id[]> {
  const found: Id[] = []
  for (let page = 1; ; page++) {
    const query = { type, selectors: [], inpage: 100, page, outputFormat: 6 }
    const { mainCompositionIds } = await post<{ mainCompositionIds: Id[] }>(
      url,
      '/api/freeschema-query',
      query,
    )
    found.push(...mainCompositionIds)
    if (mainCompositionIds.length < 100) return found
  }
}

async function post<T>(url: string, path: string, body: unknown): Promise<T> {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
