import { asWeftError, WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import type { Records } from '../graph/mutation.ts'
import type { Inside } from '../inside.ts'
import { refusal } from '../wire/health.ts'
import { parse } from '../wire/json.ts'
import { listOf } from '../wire/shape.ts'

/** What the server says to whoever is signed in by the time it says it. */
export async function ask(inside: Inside, path: string, body: unknown): Promise<unknown> {
  const { user } = inside.graph
  const answer = await inside.http.post(path, body).catch((e) => {
    if (user === inside.graph.user) throw e
  })
  return user === inside.graph.user ? answer : ask(inside, path, body)
}

/** As work, or nothing where the server does not answer: then what is here must do. */
export const orHere = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((e) => {
    if (asWeftError(e).kind !== 'unavailable') throw e
    return undefined
  })

/** How long a part may take to come, in ms. */
const patience = 30_000

/**
 * The parts of a list that the server cuts: a header says behind what it goes on. Without fields it is asked for
 * by GET.
 */
export async function* parts(
  inside: Inside,
  path: string,
  fields: Readonly<Record<string, string | number>>,
  method = 'GET',
): AsyncGenerator<readonly unknown[]> {
  const { graph, http } = inside
  const { user } = graph
  for (let after: string | null = ''; after !== null; ) {
    const all = new URLSearchParams({ ...fields, ...(after && { after }) } as Record<
      string,
      string
    >)
    const get = method === 'GET'
    const signal = AbortSignal.any([http.closed, AbortSignal.timeout(patience)])
    const init = get ? { signal } : { method, body: all, signal }
    let answer: Response
    let text: string
    try {
      answer = await http.get(get ? `${path}?${all}` : path, init)
      text = await answer.text()
    } catch (e) {
      http.doubt()
      throw new WeftError('unavailable', `${path} got no answer`, e)
    }
    const list = parse(text)
    if (!answer.ok || list === undefined) throw refusal(answer.status, text, path)
    if (user !== graph.user) throw new WeftError('unavailable', 'somebody else signed in meanwhile')
    yield listOf(list)
    after = answer.headers.get('X-Weft-After')
  }
}

/** Takes in what the server said, and lets go of connections that it did not say any more, here and on the disk. */
export function take(inside: Inside, records: Records, gone: readonly Id[] = []): void {
  inside.graph.add(records)
  inside.graph.forget([], gone)
  inside.storage()?.cache({ ...records, removeConnections: gone })
}
