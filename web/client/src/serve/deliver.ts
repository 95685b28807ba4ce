import { type Id, isReal } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Abandoned } from '../store/abandoned.ts'
import type { Left } from '../store/left.ts'
import { refusalFor } from '../sync/gone.ts'
import { wholly } from '../sync/group.ts'
import { others } from '../sync/needs.ts'
import type { Mark } from '../sync/pending.ts'
import { sending, type Verdict } from '../sync/sender.ts'
import type { News } from '../sync/tabs.ts'
import type { Http } from '../wire/http.ts'
import type { Names } from '../wire/sync.ts'
import { userOf } from '../wire/token.ts'

/**
 * Sends what was left, as a page would, until nothing can go any more, the server does not answer, it wants another
 * token, or the signal. Each step is on disk, and told to pages, before the next.
 */
export async function deliver(
  database: Abandoned,
  http: Http,
  tell: (news: News) => void,
  signal: AbortSignal,
): Promise<Verdict> {
  const left = await database.left()
  const writes = new Map(left.mutations.map((m) => [m.key, m]))
  const { names, learn } = namesOf(left)
  http.randomizer = left.randomizer
  const user = () => userOf(http.token)

  const found = (keys: readonly string[]) => keys.flatMap((key) => writes.get(key) ?? [])
  const change = async (keys: readonly string[], mark: Mark) => {
    const changed = found(keys).map((m) => ({ ...m, ...mark }))
    for (const m of changed) writes.set(m.key, m)
    await database.replace(changed)
    tell({ kind: 'marked', keys, mark })
  }
  const send = sending({
    http,
    names,
    user,
    settled: async (keys, receipt, user) => {
      for (const key of keys) writes.delete(key)
      learn(receipt)
      await database.settle(keys, receipt, user)
      tell({ kind: 'settled', keys, receipt, user })
    },
    refused: (keys, error) => change(keys, { failed: refusalFor(error, found(keys), names) }),
    adopted: (keys, user) => change(keys, { user }),
  })

  let verdict: Verdict = 'sent'
  while (verdict === 'sent' && !signal.aborted) {
    const mine = wholly([...writes.values()], (m) => isOurs(m, user(), names))
    verdict = await send(mine)
  }
  return verdict
}

/** Says whether a write can go without a page: what is for other data than the server has is shown to somebody first. */
function isOurs(m: Mutation, user: string | undefined, names: Names): boolean {
  if (m.failed || m.held || (m.user && m.user !== user)) return false
  return m.store === names.store || !others(m, names).some(isReal)
}

/** What the server calls things, as far as any page was told, and as it is learnt. */
function namesOf({ store, seen }: Left) {
  const concepts = new Map<Id, Id>()
  const connections = new Map<Id, Id>()
  const learn = ({ conceptIds, connectionIds }: typeof seen) => {
    for (const [local, real] of conceptIds) concepts.set(local, real)
    for (const [local, real] of connectionIds) connections.set(local, real)
  }
  learn(seen)
  const names: Names = {
    store,
    real: (id) => concepts.get(id) ?? id,
    realConnection: (id) => connections.get(id) ?? id,
  }
  return { names, learn }
}
