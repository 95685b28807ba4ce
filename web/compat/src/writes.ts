import type { Client, Id, PendingWrite, Write } from '@weft/client'
import { WeftError } from '@weft/client'
import {
  type Internals,
  internalsKey,
  internalsOf,
  type Records,
  type WriteRecords,
} from '@weft/client/internal'
import { FreeschemaError, toFreeschemaError } from './errors.ts'
import { dispatchIdEvent } from './events.ts'
import type { InnerActions } from './model/records.ts'
import { toConcept, toConnection } from './records.ts'
import { currentClient, currentInternals } from './start.ts'

/*
 * Writes are optimistic: they take effect in the page immediately and are sent automatically. Local calls (names with
 * `Local`) return at that point. Online calls also wait for the server, unless it is unreachable.
 */

/**
 * Returns a client whose writes are also listed in `actions` and announced as events on the window. Each record is
 * listed once.
 */
export function writer(actions?: InnerActions, client = currentClient()): Client {
  const internals = internalsOf(client)
  const write: WriteRecords = (records, kind, id, details) => {
    const written = internals.write(records, kind, id, details)
    if (actions) addActions(internals, records, actions)
    announce(internals, records)
    return written
  }
  return Object.assign(Object.create(client), internals.createWriter(write), {
    [internalsKey]: Object.assign(Object.create(internals), { write }),
  })
}

/** The position of a concept in a drawing, in the units of the application. */
export interface Place {
  readonly x: number
  readonly y: number
}

/**
 * Returns a client that sets the position of each record that it writes. Throws `invalid` for a coordinate that is not
 * a finite number.
 */
export function placingWriter(client: Client, { x, y }: Place): Client {
  if (!Number.isFinite(x) || !Number.isFinite(y))
    throw toFreeschemaError(
      new WeftError('invalid', `a position needs two finite numbers; got x ${x}, y ${y}`),
    )
  const internals = internalsOf(client)
  const write: WriteRecords = ({ concepts, connections }, kind, id, details) => {
    const placed = concepts.map((c) => (c.id === id ? { ...c, x, y } : c))
    return internals.write({ concepts: placed, connections }, kind, id, details)
  }
  return Object.assign(Object.create(client), {
    [internalsKey]: Object.assign(Object.create(internals), { write }),
  })
}

/** Adds the new records of a write to a list of actions. */
function addActions({ graph }: Internals, records: Records, actions: InnerActions): void {
  const concepts = new Set(actions.concepts.map((c) => c.ghostId))
  for (const { id } of records.concepts) {
    const made = graph.concept(id)
    if (!made || made.id > 0 || concepts.has(made.id)) continue
    concepts.add(made.id)
    actions.concepts.push(toConcept(graph, made))
  }
  for (const { id } of records.connections) {
    const made = graph.connection(id)
    if (made) actions.connections.push(toConnection(graph, made))
  }
}

/**
 * Dispatches the events that the wire contract requires: for a new concept, one named by the id of its type; for a new
 * connection, one named by the id of its source.
 */
function announce({ graph }: Internals, { concepts, connections }: Records): void {
  for (const c of concepts) dispatchIdEvent(graph.real(c.type), graph.real(c.id))
  for (const c of connections) dispatchIdEvent(graph.real(c.from))
}

type AcceptedWrite = Pick<Write, 'id' | 'key' | 'synced'>

/**
 * Waits until the server has accepted a write. Resolves with the real id of its record. If the write cannot be sent
 * now, because the server is unreachable or the write depends on an open transaction, waits only until it is saved in
 * this browser, and resolves with the local id. Rejects if the server refuses the write or requires a token.
 */
export async function accepted({ id, key, synced }: AcceptedWrite): Promise<Id> {
  if (key) await settledKeys(new Set([key]))
  const known = internalsOf(currentClient()).graph.real(id)
  return known > 0 ? known : Promise.race([synced, id])
}

/**
 * Waits until the server has accepted or refused the writes with these keys. If the server is unreachable, or a write
 * depends on an open transaction, waits only until the write is saved in this browser.
 */
export async function settledKeys(keys: ReadonlySet<string>): Promise<void> {
  const { sync } = currentClient()
  const transactions = sync.get().held ? await loadOpenTransactions() : undefined
  return new Promise((resolve, reject) => {
    const check = (): boolean => {
      const open = sync.writes().filter((write) => keys.has(write.key))
      const refused = open.find((write) => write.state === 'failed')
      const { online, needsToken } = sync.get()
      const uncommitted = transactions?.uncommittedKeys()
      const isSendable = open.some((write) => !uncommitted?.has(write.key))
      if (refused) reject(toFreeschemaError(refused.error))
      else if (isSendable && needsToken) reject(unauthorized())
      else if (isSendable && online) return false
      else resolve(savedWrites(open))
      return true
    }
    if (check()) return
    const unsubscribe = sync.subscribe(() => {
      if (check()) unsubscribe()
    })
  })
}

export const loadOpenTransactions = () => import('./open-transactions.ts')

/** Commits a transaction and waits until the server has accepted it, unless the server is unreachable. */
export async function commitTransaction(id: string): Promise<void> {
  const key = await (await loadOpenTransactions()).commitTransaction(id)
  await settledKeys(new Set([key]))
}

/** Waits until writes are saved in this browser, or have failed to be saved. */
export async function savedWrites(writes: readonly PendingWrite[]): Promise<void> {
  const { pending } = currentInternals().outbox
  await Promise.allSettled(writes.map(({ key }) => pending.find(key)?.saved))
}

const unauthorized = (): FreeschemaError =>
  new FreeschemaError(new WeftError('unauthorized', 'Unauthorized'))
