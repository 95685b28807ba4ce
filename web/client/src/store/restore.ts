import type { Id } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import { result, transact } from './database.ts'
import type { DatabaseIdentity } from './layout.ts'
import { idsPerPage, randomNumber } from './local-ids.ts'
import { addRows, type OutboxRows } from './outbox-rows.ts'

/** Maximum number of blocks of local ids that open pages are assumed to have reserved. */
const maxOpenBlocks = 1_000

/**
 * Fills a database that was deleted while this page had it open: with the unsent writes, the same randomizer, and a
 * counter below all local ids that any open page may have assigned. Returns its new identity, or undefined if a page
 * that had not opened the deleted database has created a new one first.
 */
export async function restoreOutbox(
  db: IDBDatabase,
  { randomizer, idsBelow }: DatabaseIdentity,
  rows: OutboxRows,
  unsent: readonly Mutation[],
): Promise<DatabaseIdentity | undefined> {
  const fill = async (outbox: IDBObjectStore, counter: IDBObjectStore) => {
    const found = await result<number | undefined>(counter.get('randomizer'))
    if (found !== undefined && found !== randomizer) return undefined
    const born = (await result<number | undefined>(counter.get('born'))) ?? randomNumber()
    const id = (await result<Id | undefined>(counter.get('id'))) ?? 0
    counter.put(randomizer, 'randomizer')
    counter.put(born, 'born')
    counter.put(Math.min(id, idsBelow - maxOpenBlocks * idsPerPage), 'id')
    const known = new Set((await rows.readAll(outbox)).map((m) => m.key))
    addRows(
      outbox,
      unsent.filter((m) => !known.has(m.key)),
    )
    return { randomizer, idsBelow, born }
  }
  return transact(db, ['outbox', 'counter'], 'strict', fill)
}
