import type { Client } from '../api.ts'
import type { Concept } from '../graph/concept.ts'
import type { Id } from '../graph/id.ts'
import { insideOf } from '../inside.ts'
import type { Uses } from './uses.ts'

/**
 * Counts what an application reads of a client, until the function returned is called. The client's own reads are
 * replaced while that lasts, so that without it reading costs nothing more.
 *
 * @param closed called when the client closes
 */
export function observe(client: Client, uses: Uses, closed: () => void): () => void {
  const inside = insideOf(client)
  const concept = (c: unknown) => uses.add('concepts', (c as Concept).id)
  const record = (_: unknown, id: unknown) => uses.addRecord(id as Id)
  const after = { concept, find: concept, get: concept, record, load: record, close: closed }
  const reads = client as unknown as Record<string, (a: unknown, b: unknown) => unknown>
  let counting = true

  const restores = Object.entries(after).map(([name, note]) => {
    const original = reads[name] as (a: unknown, b: unknown) => unknown
    const mine = (a: unknown, b: unknown) => {
      const result = original(a, b)
      const noted = (result: unknown) => {
        if (counting && (result || note === closed)) note(result, a)
        return result
      }
      return result instanceof Promise ? result.then(noted) : noted(result)
    }
    reads[name] = mine
    return () => {
      // What somebody else put on top meanwhile calls ours, which counts no more.
      if (reads[name] === mine) reads[name] = original
    }
  })
  inside.used = (concepts, connections = []) => {
    for (const id of concepts) uses.add('concepts', id)
    for (const id of connections) uses.add('connections', id)
  }

  return () => {
    counting = false
    inside.used = undefined
    for (const restore of restores) restore()
  }
}
