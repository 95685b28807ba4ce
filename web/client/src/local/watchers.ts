import type { Id } from '../model/id.ts'
import { addToSet } from './collections.ts'

/**
 * The key of a subscription: the id of a concept, the name of a type, or another string, such as the text of a query.
 */
export type Watched = Id | string

/**
 * The listeners of a graph. `notify` marks an id. One microtask later, each listener of a marked id is called once,
 * even if several of its ids were marked. Marking an id without listeners costs one Map look-up.
 */
export class Watchers {
  readonly byId = new Map<Watched, Set<() => void>>()
  readonly #notified = new Set<Watched>()
  #isFlushScheduled = false

  add(id: Watched, listener: () => void): void {
    addToSet(this.byId, id, listener)
  }

  delete(id: Watched, listener: () => void): void {
    const listeners = this.byId.get(id)
    listeners?.delete(listener)
    if (listeners?.size === 0) this.byId.delete(id)
  }

  has(id: Watched): boolean {
    return this.byId.has(id)
  }

  /** Moves the listeners of one id to another. */
  move(from: Id, to: Id): void {
    for (const listener of this.byId.get(from) ?? []) this.add(to, listener)
    this.byId.delete(from)
  }

  notify(id: Watched): void {
    if (!this.byId.has(id)) return
    this.#notified.add(id)
    if (this.#isFlushScheduled) return
    this.#isFlushScheduled = true
    void resolved.then(this.#flush)
  }

  /** Returns the listeners that the next microtask calls. */
  notified(): ReadonlySet<() => void> {
    return new Set([...this.#notified].flatMap((id) => [...(this.byId.get(id) ?? [])]))
  }

  readonly #flush = (): void => {
    this.#isFlushScheduled = false
    const listeners = this.notified()
    this.#notified.clear()
    callListeners(listeners)
  }
}

/** `then` of a resolved promise is cheaper than queueMicrotask, to which Node adds async hooks. */
const resolved = Promise.resolve()

/** Calls all listeners. An exception is reported as an uncaught error of the page and does not stop the others. */
export function callListeners(listeners: Iterable<() => void>): void {
  for (const listener of listeners) {
    try {
      listener()
    } catch (error) {
      setTimeout(() => {
        throw error
      })
    }
  }
}
