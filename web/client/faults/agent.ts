import type { Client, Write } from '../src/api.ts'
import type { Fields } from '../src/composition/value.ts'
import type { Id } from '../src/graph/id.ts'
import { insideOf } from '../src/inside.ts'
import { link } from '../src/records/index.ts'
import { begin } from '../src/transaction/index.ts'
import { type Field, linkType, type Operation, type Told, type } from './operation.ts'

/** How a tab stands. */
export interface Standing {
  /** The keys of the writes that are still to be sent. */
  readonly waiting: readonly string[]
  /** The transactions that are open, by their first writes. */
  readonly open: readonly number[]
  readonly failed: readonly { readonly key: string; readonly why: string }[]
  readonly needsToken: boolean
  readonly online: boolean
  readonly durable: boolean
}

/** Sits in a tab, does there what it is asked, and tells what came of it. */
export interface Agent {
  /** Resolves when the operation was carried out, or could not be. */
  carryOut(operation: Operation): Promise<void>
  standing(): Standing
  /** The records that the tab's live list shows, or in a word why that is not what the server says. */
  shown(): readonly (Fields | undefined)[] | string
  refresh(): Promise<void>
}

export function agentOf(client: Client, tell: (told: Told) => void): Agent {
  const list = client.query<{ readonly id: Id }>({ type, selectors: ['self'], pageSize: 1_000 })
  list.subscribe(() => {})

  async function carryOut(operation: Operation): Promise<void> {
    switch (operation.do) {
      case 'create':
        return follow(operation.write, client.create(type, operation.fields))
      case 'update':
        return update(operation)
      case 'remove':
        if (await has(operation.id)) await remove(operation)
        return
      case 'link':
        if ((await has(operation.id)) && (await has(operation.to)))
          follow(operation.write, link(client, operation.id, linkType, operation.to))
        return
      case 'transact':
        return transact(operation)
      case 'end':
        return end(operation)
      case 'discard':
        return discard()
      case 'retry':
        return client.sync.retry()
      case 'load':
        return void (await client.load(operation.id).catch(() => {}))
      case 'refresh':
        return list.refresh()
    }
  }

  async function update({ write, id, field, value }: Operation & { do: 'update' }): Promise<void> {
    if (!(await has(id))) return
    const saw = valueIn(client.record(id), field)
    // Nobody edits what has not arrived.
    if (saw === undefined) return
    follow(write, client.update(id, field === 'at' ? { at: { x: value } } : { text: value }), saw)
  }

  /** Until it is committed nothing that a transaction writes counts. */
  async function transact(operation: Operation & { do: 'transact' }): Promise<void> {
    const { write, records, value, end } = operation
    const transaction = begin(client, `${write}`)
    const [first, second] = [
      transaction.create(type, records[0]),
      transaction.create(type, records[1]),
    ]
    const update = transaction.update(second.id, { text: value })
    const next = transaction.run((held) => link(held, first.id, linkType, second.id))
    const writes = [first, second, update, next]
    const mark = transaction.mark()
    const { synced } = transaction.create(type, { key: 'what was taken back' })
    for (const promise of [...writes.map((one) => one.synced), synced]) promise.catch(() => {})
    await transaction.rollback(mark)
    if (end === 'rollback') await transaction.rollback()
    if (end === 'commit') {
      const { saved } = await transaction.commit()
      for (const [i, one] of writes.entries()) follow(write + i, { ...one, saved })
    }
    if (end !== 'leave') return
    await Promise.all(writes.map(({ saved }) => saved))
    tell({ told: 'open', write })
  }

  async function end({ write, commit }: Operation & { do: 'end' }): Promise<void> {
    const writes = client.sync.writes().filter(({ held }) => held === `${write}`)
    const transaction = begin(client, `${write}`)
    if (!commit) return transaction.rollback()
    const { saved, synced } = await transaction.commit()
    const real = (id: Id) => insideOf(client).graph.real(id)
    for (const [i, { id, key }] of writes.entries())
      follow(write + i, { id, key, saved, synced: synced.then(() => real(id)) })
  }

  /** Tells of a write. Key is empty where there was nothing to do. */
  function follow(write: number, { id, key, saved, synced }: Write, saw?: string): void {
    if (key === '') return
    tell({ told: 'made', write, key, id, saw })
    saved.then(
      () => tell({ told: 'saved', write }),
      () => tell({ told: 'unsaved', write }),
    )
    synced.then(
      (id) => tell({ told: 'synced', write, id }),
      () => tell({ told: 'dropped', write }),
    )
  }

  async function has(id: Id): Promise<boolean> {
    const here = () => client.concept(id)?.composition === true && client.record(id) !== undefined
    if (!here()) await client.load(id).catch(() => {})
    return here()
  }

  /** Whatever is gone with the one discarded may have been sent at that moment: it counts as discarded. */
  async function discard(): Promise<void> {
    const [failed] = client.sync.get().failed
    if (!failed) return
    tell({ told: 'discarded', keys: [failed.key] })
    await forgetting(() => client.sync.discard(failed.key))
  }

  /** What the server refused to make is discarded, with all that builds on it. */
  async function remove({ write, id }: Operation & { do: 'remove' }): Promise<void> {
    const failed = client.sync.writes().find((one) => one.kind === 'create' && one.id === id)
    if (!failed?.error) return follow(write, client.remove(id))
    tell({ told: 'discarded', keys: [failed.key] })
    await forgetting(() => client.remove(id).saved)
  }

  /** Tells of the writes that go with what work discards. */
  async function forgetting(work: () => Promise<void>): Promise<void> {
    const before = client.sync.writes().map(({ key }) => key)
    await work().catch(() => {})
    const after = new Set(client.sync.writes().map(({ key }) => key))
    tell({ told: 'forgotten', keys: before.filter((key) => !after.has(key)) })
  }

  function standing(): Standing {
    const { failed, needsToken, online, durable } = client.sync.get()
    const pending = client.sync.writes().filter(({ state }) => state === 'pending')
    const waiting = pending.filter(({ held }) => held === undefined).map(({ key }) => key)
    const open = [...new Set(pending.flatMap(({ held }) => held ?? []))].map(Number)
    const why = failed.map(({ key, error }) => ({ key, why: `${error?.kind}: ${error?.message}` }))
    return { waiting, open, failed: why, needsToken, online, durable }
  }

  function shown(): readonly (Fields | undefined)[] | string {
    const state = list.get()
    if (state.status === 'error')
      return `${state.status}: ${state.error.kind}, ${state.error.message}`
    if (state.status === 'loading') return state.status
    if (!state.complete) return 'incomplete'
    return state.data.map(({ id }) => client.record(id))
  }

  return { carryOut, standing, shown, refresh: () => list.refresh() }
}

/** A record of a trial as a tab shows it. */
interface Shown {
  readonly key?: string
  readonly text?: string
  readonly at?: { readonly x?: string }
}

export const keyIn = (record: Fields | undefined): string | undefined =>
  (record as Shown | undefined)?.key

export function valueIn(record: Fields | undefined, field: Field): string | undefined {
  const { text, at } = (record ?? {}) as Shown
  return field === 'text' ? text : at?.x
}
