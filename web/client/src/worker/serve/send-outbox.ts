import { type Id, isReal } from '../../model/id.ts'
import type { Mutation } from '../../model/mutation.ts'
import type { BackgroundOutbox } from '../../store/background-outbox.ts'
import { randomNumber } from '../../store/local-ids.ts'
import type { StoredOutbox } from '../../store/outbox-rows.ts'
import { referencesOf } from '../../sync/dependencies.ts'
import { filterWholeUnits } from '../../sync/request-groups.ts'
import { Sender, type SendOutcome } from '../../sync/sender.ts'
import type { SyncEvent, WriteChange } from '../../sync/sync-event.ts'
import type { TabMessage } from '../../sync/tab-leader.ts'
import type { Http } from '../../wire/http.ts'
import type { ServerIds } from '../../wire/sync-codec.ts'
import { userFromToken } from '../../wire/token.ts'

type Publish = (event: SyncEvent) => void

/**
 * Runs `work` as the leader of a client's tabs, if no tab is the leader or the leader closes within `lockTimeout` ms.
 * Otherwise resolves with undefined. When a tab opens in the meantime, it sends a ping. Then `signal` aborts, and the
 * lock is released when the work under way has ended.
 */
export async function withLock<T>(
  name: string,
  lockTimeout: number,
  work: (publish: Publish, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const channel = new BroadcastChannel(name)
  const stopping = new AbortController()
  channel.onmessage = ({ data }: MessageEvent<TabMessage<SyncEvent>>) =>
    data === 'ping' && stopping.abort()
  const from = randomNumber()
  let n = 0
  const publish = (news: SyncEvent) =>
    channel.postMessage({ from, n: ++n, news } satisfies TabMessage<SyncEvent>)
  let working: Promise<T> | undefined
  const start = (lock: Lock | null) => {
    if (lock) working = work(publish, stopping.signal)
    return working
  }
  const stop = (): undefined => {
    stopping.abort()
  }
  const options =
    lockTimeout > 0 ? { signal: AbortSignal.timeout(lockTimeout) } : { ifAvailable: true }
  // If a candidate steals the lock, `done` is undefined, and the work under way is still awaited.
  const done = navigator.locks.request(name, options, start).catch(stop)
  try {
    return (await done) ?? (await working)
  } finally {
    channel.close()
  }
}

interface SendOptions {
  readonly outbox: BackgroundOutbox
  readonly http: Http
  /** Publishes each change to the pages that are open. */
  readonly publish: Publish
  /** Stops the sending before the next request. */
  readonly signal: AbortSignal
}

/**
 * Sends the writes of an outbox as a page would. Stops when no write can be sent, when the server does not respond or
 * requires another token, or when `signal` aborts. Each result is saved and published before the next request.
 */
export async function sendOutbox({
  outbox,
  http,
  publish,
  signal,
}: SendOptions): Promise<SendOutcome> {
  const stored = await outbox.read()
  const writes = new Map(stored.mutations.map((m) => [m.key, m]))
  const { names, addIds } = serverIdsOf(stored)
  http.randomizer = stored.randomizer
  const user = () => userFromToken(http.token)

  const change = async (keys: readonly string[], mark: WriteChange) => {
    const found = keys.flatMap((key) => writes.get(key) ?? [])
    const changed = found.map((m) => ({ ...m, ...mark }))
    for (const m of changed) writes.set(m.key, m)
    await outbox.replace(changed)
    publish({ kind: 'marked', keys, mark })
  }
  const sender = new Sender({
    http,
    names,
    user,
    onSettled: async (keys, receipt, user) => {
      for (const key of keys) writes.delete(key)
      addIds(receipt)
      await outbox.settle(keys, receipt, user)
      publish({ kind: 'settled', keys, receipt, user })
    },
    onRefused: (keys, failed) => change(keys, { failed }),
    onAdopted: (keys, user) => change(keys, { user }),
  })

  let outcome: SendOutcome = 'sent'
  while (outcome === 'sent' && !signal.aborted) {
    const sendable = filterWholeUnits([...writes.values()], (m) => isSendable(m, user(), names))
    outcome = await sender.send(sendable)
  }
  return outcome
}

/**
 * Reports whether a write can be sent without a page. A write with real ids of a store other than the server's is left
 * for a page, where it fails visibly. A write that was made before the store was known counts as one of the current
 * store.
 */
function isSendable(m: Mutation, user: string | undefined, names: ServerIds): boolean {
  if (m.failed || m.held || (m.user && m.user !== user)) return false
  return !m.store || m.store === names.store || !referencesOf(m, names).some(isReal)
}

/** Returns functions that look up the real ids of an outbox, and a function that adds the id pairs of a receipt. */
function serverIdsOf({ store, seen }: StoredOutbox) {
  const concepts = new Map<Id, Id>()
  const connections = new Map<Id, Id>()
  const addIds = ({ conceptIds, connectionIds }: typeof seen) => {
    for (const [local, real] of conceptIds) concepts.set(local, real)
    for (const [local, real] of connectionIds) connections.set(local, real)
  }
  addIds(seen)
  const names: ServerIds = {
    store,
    real: (id) => concepts.get(id) ?? id,
    realConnection: (id) => connections.get(id) ?? id,
  }
  return { names, addIds }
}
