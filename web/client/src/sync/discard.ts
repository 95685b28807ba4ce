import { ignore } from '../wire/wait.ts'
import { dependents, together } from './dependents.ts'
import type { Outbox } from './outbox.ts'
import { drop, forget } from './outcome.ts'

/** What discarding needs of the tab. */
interface Place {
  leads(): boolean
  /** Has the tab lead where the one that does is silent. */
  expect(): void
  /** Has the other tabs see what is left. */
  tellLeft(): void
  readonly closed: AbortSignal
}

/**
 * Discards writes, and everything that refers to what they would have made. Who leads may be sending one: that tab does
 * it for all, once the server has answered, and by then there may be nothing to forget.
 */
export function discarding(outbox: Outbox, { leads, expect, tellLeft, closed }: Place) {
  const { pending } = outbox
  let stirred: (() => void)[] = []

  async function discard(key: string): Promise<void> {
    await pending.find(key)?.saving?.catch(ignore)
    while (!leads() && pending.find(key)) {
      if (closed.aborted) return
      const next = new Promise<void>((stir) => stirred.push(stir))
      outbox.tell({ kind: 'discard', key })
      expect()
      await next
    }
    await landed()
    if (pending.find(key)) await forgetAll(key)
    else await outbox.storage?.settle([key])
  }

  /** Another tab is to be told what became of a write, also where it is over, or was never heard of here. */
  async function asked(key: string): Promise<void> {
    if (!leads()) return
    await landed()
    if (pending.knows(key) && !pending.find(key)) tellLeft()
    else await forgetAll(key).catch(ignore)
  }

  /** What was discarded elsewhere takes along what was written meanwhile upon it. */
  function heard(keys: readonly string[]): void {
    const upon = dependents(outbox, keys).filter((key) => !keys.includes(key))
    drop(outbox, keys)
    if (upon.length > 0) void forget(outbox, upon).catch(ignore)
  }

  /** Something became of writes, or another tab leads: who waits here looks again. */
  function stir(): void {
    const waiting = stirred
    stirred = []
    for (const stir of waiting) stir()
  }

  async function landed(): Promise<void> {
    while (outbox.flight) await outbox.flight
  }

  async function forgetAll(key: string): Promise<void> {
    const keys = dependents(outbox, together(pending, key))
    await forget(outbox, [...new Set([...keys, key])])
  }

  closed.addEventListener('abort', stir)
  return { discard, asked, heard, stir }
}
