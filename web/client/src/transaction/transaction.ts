import type { Client, Write } from '../api.ts'
import { WeftError } from '../graph/error.ts'
import { insideOf, type WriteRecords, within } from '../inside.ts'
import { randomNumber } from '../store/local-ids.ts'
import { discardHeld, release } from '../sync/held.ts'
import { ignore } from '../wire/wait.ts'

/**
 * Writes that are seen here at once, and go to the server as one request, whole or not at all. Nothing is sent
 * before the commit. They are kept as any write is: after a reload the same id continues them, for 7 days after
 * the last of them. `client.sync.writes()` lists them with that id as `held`.
 *
 * After a commit, a rollback or an action that threw, which is a rollback, whatever is called throws
 * `Query Transaction Expired`; also when that happened in another tab.
 */
export interface Transaction extends Pick<Client, 'create' | 'update' | 'remove'> {
  readonly id: string
  /** Calls work with a client whose writes are this transaction's: `tx.run((client) => link(client, …))`. */
  run<T>(work: (client: Client) => T): T
  /** Where `rollback` may go back to. */
  mark(): Mark
  /** Takes back what was written since a mark; without one, all, and ends the transaction. */
  rollback(mark?: Mark): Promise<void>
  /** Waits for work that runs and sends everything. What the server refuses fails, and is retried, as a whole. */
  commit(): Promise<Write>
}

/** The key of the last write before it. */
export type Mark = string & { readonly mark: unique symbol }

/** Begins a transaction, or continues the one of that id. */
export function begin(client: Client, id: string = randomNumber().toString(36)): Transaction {
  if (inner.has(client)) throw new WeftError('invalid', 'a transaction begins in no other; mark it')
  if (!id) throw new WeftError('invalid', 'a transaction has an id that is not empty')
  const inside = insideOf(client)
  const { outbox } = inside
  const keys: string[] = []
  let working: Promise<unknown> = Promise.resolve()
  let closing = false
  let ended = false
  let cause: unknown

  const write: WriteRecords = (records, kind, about, concepts, connections, type) => {
    check()
    const written = inside.write(records, kind, about, concepts, connections, type, id)
    keys.push(written.key)
    return written
  }
  const held: Client = Object.assign(Object.create(client), inside.writing(write), {
    [within]: Object.assign(Object.create(inside), { write }),
  })
  inner.add(held)

  /** Throws when it is over, also by another tab. */
  function check(over = ended): void {
    const last = keys.at(-1)
    if (over || (last !== undefined && outbox.pending.mutation(last)?.held !== id))
      throw new WeftError('conflict', 'Query Transaction Expired', cause)
  }

  const checkOpen = () => check(ended || closing)

  function run<T>(work: (client: Client) => T): T {
    checkOpen()
    try {
      const done = work(held)
      if (!(done instanceof Promise)) return done
      const kept = done.catch(failed)
      working = Promise.allSettled([working, kept])
      return kept as T
    } catch (error) {
      return failed(error)
    }
  }

  /** Of no use is a transaction of which a part is missing. */
  function failed(error: unknown): never {
    if (!ended) {
      ended = true
      cause = error
      discard().catch(ignore)
    }
    throw error
  }

  /** What is here goes at once; what an earlier visit left, when it is here. */
  async function discard(): Promise<void> {
    await discardHeld(outbox, id)
    await client.ready
    await discardHeld(outbox, id)
  }

  async function rollback(mark?: Mark): Promise<void> {
    checkOpen()
    const at = mark ? keys.lastIndexOf(mark) : -1
    if (mark && at < 0) throw new WeftError('invalid', 'what was marked has been taken back')
    if (mark !== undefined) return discardHeld(outbox, id, keys.splice(at + 1))
    ended = true
    return discard()
  }

  async function commit(): Promise<Write> {
    checkOpen()
    closing = true
    await working
    await client.ready
    check()
    ended = true
    const write = release(outbox, id)
    await write.saved.catch(ignore)
    return write
  }

  return {
    id,
    run,
    create: (type, fields) => run((to) => to.create(type, fields)),
    update: (at, fields) => run((to) => to.update(at, fields)),
    remove: (at) => run((to) => to.remove(at)),
    mark: () => {
      checkOpen()
      return (keys.at(-1) ?? '') as Mark
    },
    rollback,
    commit,
  }
}

/** The clients of transactions. */
const inner = new WeakSet<Client>()
