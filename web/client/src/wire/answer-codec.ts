import type { Id } from '../model/id.ts'
import type { Answer, Query } from '../query/query.ts'
import { expectList, throwMalformed } from './expect.ts'
import { isRecord } from './json.ts'

/** Decodes the answer to a query. Throws `internal` for a malformed answer. */
export function decodeAnswer(json: unknown, q: Query): Answer {
  if (!isRecord(json)) return throwMalformed('a query answer', json)
  const ids = (key: string) => expectList(json[key] ?? []) as Id[]
  const roots = ids('mainCompositionIds')
  const { mainCount: total = roots.length } = json as { mainCount?: number }
  return {
    roots,
    links: ids('linkers'),
    reverse: ids('reverse'),
    counts: (ids('countinfo') as unknown as string[]).map(decodeCount),
    total,
    order: q.order ?? 'DESC',
  }
}

/** Decodes `<concept>_<connection type>_<count>`. */
function decodeCount(text: string): { of: Id; type: Id; n: number } {
  const [of = 0, type = 0, n = -1, more] = text.split('_').map(Number)
  return n >= 0 && more === undefined ? { of, type, n } : throwMalformed('a count', text)
}
