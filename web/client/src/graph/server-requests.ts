import type { Internals } from '../internals.ts'
import { asWeftError, WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import type { Records } from '../model/mutation.ts'
import { expectList } from '../wire/expect.ts'
import { toRefusal } from '../wire/health.ts'
import { parseJson } from '../wire/json.ts'

/** Posts a request and returns the response for the current user. Starts over if the user changes in the meantime. */
export async function requestAsUser(
  internals: Internals,
  path: string,
  body: unknown,
): Promise<unknown> {
  const { user } = internals.graph
  const response = await internals.http.post(path, body).catch((e) => {
    if (user === internals.graph.user) throw e
  })
  return user === internals.graph.user ? response : requestAsUser(internals, path, body)
}

/** Resolves with undefined if the server is unavailable, so that the caller continues with local records. */
export const orLocal = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((e) => {
    if (asWeftError(e).kind !== 'unavailable') throw e
    return undefined
  })

/**
 * Fetches a list page by page; the `X-Weft-After` header of a response is the cursor of the next page. Throws
 * `unavailable` if the user changes in the meantime.
 */
export async function* fetchPages(
  { graph, http }: Internals,
  path: string,
  fields: Readonly<Record<string, string | number>>,
  method: 'GET' | 'POST' = 'GET',
): AsyncGenerator<readonly unknown[]> {
  const { user } = graph
  for (let after: string | null = ''; after !== null; ) {
    const entries = Object.entries({ ...fields, ...(after && { after }) })
    const params = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))
    const { response, text } =
      method === 'GET'
        ? await http.requestText(`${path}?${params}`, {})
        : await http.requestText(path, { method, body: params })
    const page = parseJson(text)
    if (!response.ok || page === undefined) throw toRefusal(response.status, text, path)
    if (user !== graph.user) throw new WeftError('unavailable', 'the signed-in user has changed')
    yield expectList(page)
    after = response.headers.get('X-Weft-After')
  }
}

/** Adds received records to the graph and the database, and evicts connections that the server no longer lists. */
export function addReceived(
  internals: Internals,
  records: Records,
  evicted: readonly Id[] = [],
): void {
  internals.graph.add(records)
  internals.graph.evict([], evicted)
  internals.storage()?.cacheRecords({ ...records, removeConnections: evicted })
}
