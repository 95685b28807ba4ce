import type { Client, Write } from '../src/api.ts'
import type { Fields } from '../src/composition/value.ts'
import { link } from '../src/graph/index.ts'
import { internalsOf } from '../src/internals.ts'
import type { Id } from '../src/model/id.ts'
import { begin } from '../src/transaction/index.ts'
import { type Field, linkType, type Operation, type Report, type } from './operation.ts'

/** The status of a tab's outbox. */
export interface TabStatus {
  /** Keys of the writes to be sent. */
  readonly pending: readonly string[]
  /** The open transactions, by the numbers of their first writes. */
  readonly open: readonly number[]
  readonly failed: readonly { readonly key: string; readonly reason: string }[]
  readonly needsToken: boolean
  readonly online: boolean
  readonly durable: boolean
}

/** Carries out operations in a tab, and reports the results. */
export interface Agent {
  /** Resolves when the operation was carried out or has turned out to be impossible. */
  carryOut(operation: Operation): Promise<void>
  status(): TabStatus
  /**
   * Returns the records of the tab's live query. If the query has no complete result, returns a string with the reason.
   */
  shownRecords(): readonly (Fields | undefined)[] | string
  refresh(): Promise<void>
}

export function createAgent(client: Client, report: (report: Report) => void): Agent {
  const list = client.query<{ readonly id: Id }>({ type, selectors: ['self'], pageSize: 1_000 })
  list.subscribe(() => {})
  const agent = new TabAgent(client, report)

  async function carryOut(operation: Operation): Promise<void> {
    if (operation.do === 'refresh') return list.refresh()
    return agent.carryOut(operation)
  }

  function shownRecords(): readonly (Fields | undefined)[] | string {
    const state = list.get()
    if (state.status === 'error')
      return `${state.status}: ${state.error.kind}, ${state.error.message}`
    if (state.status === 'loading') return state.status
    if (!state.complete) return 'incomplete'
    return state.data.map(({ id }) => client.record(id))
  }

  return { carryOut, status: () => agent.status(), shownRecords, refresh: () => list.refresh() }
}

class TabAgent {
  readonly #client: Client
  readonly #report: (report: Report) => void

  constructor(client: Client, report: (report: Report) => void) {
    this.#client = client
    this.#report = report
  }

  async carryOut(operation: Exclude<Operation, { do: 'refresh' }>): Promise<void> {
    const client = this.#client
    switch (operation.do) {
      case 'create':
        return this.#follow(operation.write, client.create(type, operation.fields))
      case 'update':
        return this.#update(operation)
      case 'remove':
        if (await this.#has(operation.id)) await this.#remove(operation)
        return
      case 'link':
        if ((await this.#has(operation.id)) && (await this.#has(operation.to)))
          this.#follow(operation.write, link(client, operation.id, linkType, operation.to))
        return
      case 'transact':
        return this.#transact(operation)
      case 'end':
        return this.#endTransaction(operation)
      case 'discard':
        return this.#discard()
      case 'retry':
        return client.sync.retry()
      case 'load':
        return void (await client.load(operation.id).catch(() => {}))
    }
  }

  status(): TabStatus {
    const { failed, needsToken, online, durable } = this.#client.sync.get()
    const writes = this.#client.sync.writes().filter(({ state }) => state === 'pending')
    const pending = writes.filter(({ held }) => held === undefined).map(({ key }) => key)
    const open = [...new Set(writes.flatMap(({ held }) => held ?? []))].map(Number)
    const failures = failed.map(({ key, error }) => ({
      key,
      reason: `${error?.kind}: ${error?.message}`,
    }))
    return { pending, open, failed: failures, needsToken, online, durable }
  }

  async #update({ write, id, field, value }: Operation & { do: 'update' }): Promise<void> {
    if (!(await this.#has(id))) return
    const saw = valueIn(this.#client.record(id), field)
    // A user cannot edit a field that has not been loaded.
    if (saw === undefined) return
    const fields = field === 'at' ? { at: { x: value } } : { text: value }
    this.#follow(write, this.#client.update(id, fields), saw)
  }

  /** Runs a transaction. Its writes are reported when it is committed. */
  async #transact(operation: Operation & { do: 'transact' }): Promise<void> {
    const { write, records, value, end } = operation
    const transaction = begin(this.#client, `${write}`)
    const [first, second] = [
      transaction.create(type, records[0]),
      transaction.create(type, records[1]),
    ]
    const update = transaction.update(second.id, { text: value })
    const linkWrite = transaction.run((tx) => link(tx, first.id, linkType, second.id))
    const writes = [first, second, update, linkWrite]
    const mark = transaction.mark()
    transaction.create(type, { key: 'rolled back' })
    await transaction.rollback(mark)
    if (end === 'rollback') await transaction.rollback()
    if (end === 'commit') {
      const { saved } = await transaction.commit()
      for (const [i, part] of writes.entries()) this.#follow(write + i, { ...part, saved })
    }
    if (end !== 'leave') return
    await Promise.all(writes.map(({ saved }) => saved))
    this.#report({ event: 'open', write })
  }

  async #endTransaction({ write, commit }: Operation & { do: 'end' }): Promise<void> {
    const client = this.#client
    const writes = client.sync.writes().filter(({ held }) => held === `${write}`)
    const transaction = begin(client, `${write}`)
    if (!commit) return transaction.rollback()
    const { saved, settled } = await transaction.commit()
    const real = (id: Id) => internalsOf(client).graph.real(id)
    for (const [i, { id, key }] of writes.entries())
      this.#follow(write + i, { id, key, saved, settled: settled.then(() => real(id)) })
  }

  /**
   * Reports a write, and later the result of its promises. A write without a key changed nothing and is not reported.
   */
  #follow(write: number, { id, key, saved, settled }: Omit<Write, 'synced'>, saw?: string): void {
    if (key === '') return
    const report = this.#report
    report({ event: 'made', write, key, id, saw })
    saved.then(
      () => report({ event: 'saved', write }),
      () => report({ event: 'unsaved', write }),
    )
    settled.then(
      (id) => report({ event: 'synced', write, id }),
      () => report({ event: 'dropped', write }),
    )
  }

  async #has(id: Id): Promise<boolean> {
    const client = this.#client
    const isLoaded = () =>
      client.concept(id)?.composition === true && client.record(id) !== undefined
    if (!isLoaded()) await client.load(id).catch(() => {})
    return isLoaded()
  }

  /** Discards a failed write. Other writes may depend on it, so all writes that disappear are reported as discarded. */
  async #discard(): Promise<void> {
    const [failed] = this.#client.sync.get().failed
    if (!failed) return
    this.#report({ event: 'discarding', keys: [failed.key] })
    await this.#reportDiscarded(() => this.#client.sync.discard(failed.key))
  }

  /** Removes a record. If its creation failed, this discards the creation and its dependents. */
  async #remove({ write, id }: Operation & { do: 'remove' }): Promise<void> {
    const client = this.#client
    const failed = client.sync.writes().find((w) => w.kind === 'create' && w.id === id)
    if (!failed?.error) return this.#follow(write, client.remove(id))
    this.#report({ event: 'discarding', keys: [failed.key] })
    await this.#reportDiscarded(() => client.remove(id).saved)
  }

  /** Reports the writes that disappear while `work` discards some. */
  async #reportDiscarded(work: () => Promise<void>): Promise<void> {
    const before = this.#client.sync.writes().map(({ key }) => key)
    await work().catch(() => {})
    const after = new Set(this.#client.sync.writes().map(({ key }) => key))
    this.#report({ event: 'discarded', keys: before.filter((key) => !after.has(key)) })
  }
}

/** The fields of a record of a trial. */
interface NoteFields {
  readonly key?: string
  readonly text?: string
  readonly at?: { readonly x?: string }
}

export const keyIn = (record: Fields | undefined): string | undefined =>
  (record as NoteFields | undefined)?.key

export function valueIn(record: Fields | undefined, field: Field): string | undefined {
  const { text, at } = (record ?? {}) as NoteFields
  return field === 'text' ? text : at?.x
}
