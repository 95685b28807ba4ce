import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import { result, transact } from './database.ts'
import type { Mark } from './layout.ts'
import { block, randomNumber } from './local-ids.ts'
import { addRows, type Rows } from './rows.ts'

/** More blocks of local ids than the pages that are open may have. */
const blocks = 1_000

/**
 * Fills a database that somebody deleted while this page had it open: with what is still to be sent, under the same randomizer,
 * and with local ids below all that any page may have given. Returns how it is known from now on, or
 * undefined where a page that knew nothing of this one came first.
 */
export async function restore(
  db: IDBDatabase,
  { randomizer, above }: Mark,
  rows: Rows,
  pending: readonly Mutation[],
): Promise<Mark | undefined> {
  const put = async (outbox: IDBObjectStore, counter: IDBObjectStore) => {
    const here = await result<number | undefined>(counter.get('randomizer'))
    if (here !== undefined && here !== randomizer) return undefined
    const born = (await result<number | undefined>(counter.get('born'))) ?? randomNumber()
    const id = (await result<Id | undefined>(counter.get('id'))) ?? 0
    counter.put(randomizer, 'randomizer')
    counter.put(born, 'born')
    counter.put(Math.min(id, above - blocks * block), 'id')
    const known = new Set((await rows.all(outbox)).map((m) => m.key))
    addRows(
      outbox,
      pending.filter((m) => !known.has(m.key)),
    )
    return { randomizer, above, born }
  }
  return transact(db, ['outbox', 'counter'], 'strict', put)
}
