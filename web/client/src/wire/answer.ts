import type { Id } from '../graph/id.ts'
import type { Answer, Query } from '../query/query.ts'
import { isRecord } from './json.ts'
import { listOf, malformed } from './shape.ts'

/** Reads the answer to a query. */
export function answerOf(json: unknown, q: Query): Answer {
  if (!isRecord(json)) return malformed('a query answer', json)
  const ids = (key: string) => listOf(json[key] ?? []) as Id[]
  const roots = ids('mainCompositionIds')
  const { mainCount: total = roots.length } = json as { mainCount?: number }
  return {
    roots,
    links: ids('linkers'),
    reverse: ids('reverse'),
    counts: (ids('countinfo') as unknown as string[]).map(countOf),
    total,
    order: q.order ?? 'DESC',
  }
}

/** Three numbers between underscores: of what, of which type, how many. */
function countOf(text: string): { of: Id; type: Id; n: number } {
  const [of = 0, type = 0, n = -1, more] = text.split('_').map(Number)
  return n >= 0 && more === undefined ? { of, type, n } : malformed('a count', text)
}
