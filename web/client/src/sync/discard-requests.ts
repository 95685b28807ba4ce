import { ignoreError } from '../wire/retry.ts'
import { discardWrites } from './change-writes.ts'
import { unitKeysOf, withDependents } from './dependents.ts'
import type { Outbox } from './outbox.ts'

/** The parts of the sync engine that discarding uses. */
interface DiscardHost {
  readonly outbox: Outbox
  readonly closed: AbortSignal
  isLeader(): boolean
  /** Ensures that there is a leader: if no leader responds, this tab becomes the leader. */
  requestLeader(): void
  /** Publishes the keys of the saved writes, so that another tab notices which writes have ended. */
  publishKnownKeys(): void
}

/**
 * Discards writes and all writes that depend on them.
 *
 * Only the leader discards, because it may be sending the write. The leader first waits for the response; a write that
 * the server has accepted by then stays. A follower publishes a `discard` event and waits until the write has ended or
 * this tab has become the leader. After each related event, `wake` makes the follower check again.
 */
export class DiscardRequests {
  readonly #host: DiscardHost
  #waiting: (() => void)[] = []

  constructor(host: DiscardHost) {
    this.#host = host
    host.closed.addEventListener('abort', () => this.wake())
  }

  /** Resolves when the write is discarded or settled, or the client is closed. */
  async discard(key: string): Promise<void> {
    const { outbox, closed, isLeader, requestLeader } = this.#host
    const { pending } = outbox
    await pending.find(key)?.saved?.catch(ignoreError)
    while (!isLeader() && pending.find(key)) {
      if (closed.aborted) return
      const woken = new Promise<void>((wake) => this.#waiting.push(wake))
      outbox.publish({ kind: 'discard', key })
      requestLeader()
      await woken
    }
    await this.#untilIdle()
    if (pending.find(key)) await this.#discardAll(key)
    else await outbox.storage?.settle([key])
  }

  /** Handles a `discard` event of another tab. Responds even if the write has ended or this tab does not have it. */
  async onRequest(key: string): Promise<void> {
    const { outbox, isLeader, publishKnownKeys } = this.#host
    if (!isLeader()) return
    await this.#untilIdle()
    const { pending } = outbox
    if (pending.knows(key) && !pending.find(key)) publishKnownKeys()
    else await this.#discardAll(key).catch(ignoreError)
  }

  /** Called when another tab has discarded writes. Also discards writes made in this tab that depend on them. */
  onDiscarded(keys: readonly string[]): void {
    const { outbox } = this.#host
    const { pending, graph } = outbox
    const all = withDependents(pending.mutations(), graph, keys)
    const dependents = all.filter((key) => !keys.includes(key))
    pending.discard(keys)
    if (dependents.length > 0) void discardWrites(outbox, dependents).catch(ignoreError)
  }

  /** Makes waiting calls check again, because writes changed or another tab became the leader. */
  wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }

  async #untilIdle(): Promise<void> {
    const { outbox } = this.#host
    while (outbox.sending) await outbox.sending
  }

  async #discardAll(key: string): Promise<void> {
    const { outbox } = this.#host
    const all = outbox.pending.mutations()
    const keys = withDependents(all, outbox.graph, unitKeysOf(all, key))
    await discardWrites(outbox, [...new Set([...keys, key])])
  }
}
