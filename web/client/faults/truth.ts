import type { Id } from '../src/graph/id.ts'
import { type Field, type } from './operation.ts'

/** A record as it is at the server: every value of every field, those of the oldest connections first. */
export interface Stored {
  readonly id: Id
  readonly key: string | undefined
  readonly values: Readonly<Record<Field, readonly string[]>>
  /** The records that it is linked to, once for each link. */
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

/** Reads all records of a trial from the server itself, by the plainest requests there are. */
export async function storedAt(url: string): Promise<Stored[]> {
  const roots = await ids(url)
  const links = await post<Connection[]>(url, '/api/get_all_connections_of_composition_bulk', roots)
  const ends = [...new Set(links.map((c) => c.toTheConceptId))]
  const concepts = new Map<Id, Concept>()
  for (let i = 0; i < ends.length; i += 1_000) {
    const some = ends.slice(i, i + 1_000)
    for (const c of await post<Concept[]>(url, '/api/get_concept_bulk', some)) concepts.set(c.id, c)
  }
  const linked: Id[][] = []
  // One after the other: a machine that is busy has no time for as many connections.
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

/** Whatever leaves a record and is not inside it. */
async function linksFrom(url: string, id: Id): Promise<Id[]> {
  const answer = await fetch(`${url}/api/get-all-linkers-from-concept?conceptId=${id}`)
  const all = (await answer.json()) as Connection[]
  return all.filter((c) => c.typeId !== id).map((c) => c.toTheConceptId)
}

async function ids(url: string): Promise<Id[]> {
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
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}
