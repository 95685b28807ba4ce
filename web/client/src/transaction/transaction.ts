import type { Client, Write } from '../api.ts'
import { type Internals, internalsKey, internalsOf, type WriteRecords } from '../internals.ts'
import { WeftError } from '../model/error.ts'
import { randomNumber } from '../store/local-ids.ts'
import {
  commitTransaction,
  discardTransaction,
  holdTransaction,
  ofPage,
} from '../sync/open-transaction.ts'
import { ignoreError } from '../wire/retry.ts'

/**
 * Writes that are visible here immediately, and are sent as one request when the transaction is committed: the server
 * accepts all or none. Until then they are saved like any other write. `client.sync.writes()` lists them with the id of
 * the transaction as `held`.
 *
 * A transaction with an id of the application survives the page: for 7 days after its last write, `begin` with the same
 * id continues it, even after a reload. A transaction without an id ends with its page. If that page is closed or
 * reloaded before the commit, another page rolls the transaction back, immediately or when that other page is opened.
 * In a browser without Web Locks, it is rolled back after 7 days.
 *
 * A commit, a rollback or an action that throws ends the transaction, even if it happens in another tab. After that
 * every call throws `Query Transaction Expired`.
 */
export interface Transaction extends Pick<Client, 'create' | 'update' | 'remove'> {
  readonly id: string
  /** Calls `work` with a client whose writes belong to the transaction: `tx.run((client) => link(client, …))`. */
  run<T>(work: (client: Client) => T): T
  /** Returns a mark of the current state, for `rollback`. */
  mark(): Mark
  /** Discards the writes made since a mark. Without a mark, discards all of them and ends the transaction. */
  rollback(mark?: Mark): Promise<void>
  /**
   * Waits for actions that still run, and then sends all writes. If the server refuses them, they fail together and are
   * retried together. The returned Write is synced when the server has accepted all of them.
   */
  commit(): Promise<Write>
}

/** A point in a transaction: the key of the last write before that point, or empty if there is none. */
export type Mark = string & { readonly mark: unique symbol }

/**
 * Begins a transaction. Without an id, the transaction ends with this page. With an id, begins the transaction with
 * that id, or continues it. The prefix `page:` is reserved for transactions that end with their page.
 */
export function begin(
  client: Client,
  id: string = `${ofPage}${randomNumber().toString(36)}`,
): Transaction {
  if (transactionClients.has(client))
    throw new WeftError('invalid', 'a transaction cannot begin inside another; use mark()')
  if (!id) throw new WeftError('invalid', 'the id of a transaction is empty')
  const transaction = new OpenTransaction(client, id)
  return {
    id,
    run: (work) => transaction.run(work),
    create: (type, fields) => transaction.run((writer) => writer.create(type, fields)),
    update: (id, fields, options) =>
      transaction.run((writer) => writer.update(id, fields, options)),
    remove: (id) => transaction.run((writer) => writer.remove(id)),
    mark: () => transaction.mark(),
    rollback: (mark) => transaction.rollback(mark),
    commit: () => transaction.commit(),
  }
}

/** The clients that `run` passes to actions. */
const transactionClients = new WeakSet<Client>()

/**
 * open       → committing   commit(): new actions are refused; running ones may still write
 * open       → ended        rollback(), or an action throws: the writes are discarded
 * committing → ended        the running actions have ended, and the writes are released; or one of them threw
 */
type TransactionStatus = 'open' | 'committing' | 'ended'

class OpenTransaction {
  #status: TransactionStatus = 'open'
  readonly #id: string
  readonly #client: Client
  readonly #internals: Internals
  /** Client whose writes belong to the transaction. */
  readonly #writer: Client
  /** Keys of the writes of this page that are not rolled back. */
  readonly #keys: string[] = []
  /** Keys of removals that were undone. */
  readonly #undone = new Set<string>()
  /** Settles when all asynchronous actions so far have ended. */
  #running: Promise<unknown> = Promise.resolve()
  /** The error of the action that ended the transaction. */
  #cause: unknown
  /** Releases the lock of the transaction. Called when its end is on disk. */
  readonly #release: () => void

  constructor(client: Client, id: string) {
    this.#id = id
    this.#client = client
    this.#internals = internalsOf(client)
    this.#release = holdTransaction(id, this.#internals.http.closeSignal)
    const write: WriteRecords = (records, kind, recordId, details) => {
      this.#checkNotEnded()
      const written = this.#internals.write(records, kind, recordId, { ...details, held: id })
      this.#keys.push(written.key)
      return written
    }
    const writer = this.#internals.createWriter(write)
    const remove: Client['remove'] = (recordId) => {
      const removal = writer.remove(recordId)
      const { undo } = removal
      return Object.assign(removal, {
        undo: () => {
          this.#undone.add(removal.key)
          return undo()
        },
      })
    }
    this.#writer = Object.assign(Object.create(client), writer, {
      remove,
      [internalsKey]: Object.assign(Object.create(this.#internals), { write }),
    })
    transactionClients.add(this.#writer)
  }

  run<T>(work: (client: Client) => T): T {
    this.#checkOpen()
    try {
      const result = work(this.#writer)
      if (!(result instanceof Promise)) return result
      const action = result.catch((e) => this.#fail(e))
      this.#running = Promise.allSettled([this.#running, action])
      return action as T
    } catch (error) {
      return this.#fail(error)
    }
  }

  mark(): Mark {
    this.#checkOpen()
    return (this.#keys.at(-1) ?? '') as Mark
  }

  async rollback(mark?: Mark): Promise<void> {
    this.#checkOpen()
    const index = mark ? this.#keys.lastIndexOf(mark) : -1
    if (mark && index < 0) throw new WeftError('invalid', 'the mark has been rolled back')
    if (mark !== undefined)
      return discardTransaction(this.#internals.outbox, this.#id, this.#keys.splice(index + 1))
    this.#status = 'ended'
    return this.#discardAll()
  }

  async commit(): Promise<Write> {
    this.#checkOpen()
    this.#status = 'committing'
    await this.#running
    await this.#client.ready
    this.#checkNotEnded()
    this.#status = 'ended'
    const write = commitTransaction(this.#internals.outbox, this.#id)
    // If the disk fails, the transaction is still open there, and another page must not roll it back.
    await write.saved.then(this.#release, ignoreError)
    return write
  }

  #checkOpen(): void {
    if (this.#status !== 'open') throw this.#expired()
    this.#checkNotEnded()
  }

  /**
   * Throws if the transaction has ended, here or in another tab. When it ends in another tab, the status of its last
   * write changes from held.
   */
  #checkNotEnded(): void {
    const last = this.#keys.findLast((key) => !this.#undone.has(key))
    const { pending } = this.#internals.outbox
    const endedElsewhere = last !== undefined && pending.mutation(last)?.held !== this.#id
    if (this.#status === 'ended' || endedElsewhere) throw this.#expired()
  }

  #expired(): WeftError {
    return new WeftError('conflict', 'Query Transaction Expired', this.#cause)
  }

  /** Ends the transaction because an action threw: an incomplete transaction must not be committed. */
  #fail(error: unknown): never {
    if (this.#status !== 'ended') {
      this.#status = 'ended'
      this.#cause = error
      this.#discardAll().catch(ignoreError)
    }
    throw error
  }

  /** Discards the writes of this page immediately, and those of earlier visits once they are read. */
  async #discardAll(): Promise<void> {
    const { outbox } = this.#internals
    await discardTransaction(outbox, this.#id)
    await this.#client.ready
    await discardTransaction(outbox, this.#id)
    this.#release()
  }
}
