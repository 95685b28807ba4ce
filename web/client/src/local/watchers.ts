import type { Id } from '../graph/id.ts'
import { addTo } from './sets.ts'

/** What can be watched: a concept, or everything of a type by the type's name. */
export type Watched = Id | string

/** Who wants to know about what. Whoever watches is told once per microtask, however much changed. */
export class Watchers {
  readonly byId = new Map<Watched, Set<() => void>>()
  readonly #changed = new Set<Watched>()
  #scheduled = false

  add(id: Watched, changed: () => void): void {
    addTo(this.byId, id, changed)
  }

  delete(id: Watched, changed: () => void): void {
    const set = this.byId.get(id)
    set?.delete(changed)
    if (set?.size === 0) this.byId.delete(id)
  }

  has(id: Watched): boolean {
    return this.byId.has(id)
  }

  of(id: Watched): Iterable<() => void> {
    return this.byId.get(id) ?? []
  }

  /** What watched one id watches another from now on. */
  move(from: Id, to: Id): void {
    for (const changed of this.of(from)) this.add(to, changed)
    this.byId.delete(from)
  }

  touch(id: Watched): void {
    if (!this.byId.has(id)) return
    this.#changed.add(id)
    if (this.#scheduled) return
    this.#scheduled = true
    void soon.then(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const told = new Set<() => void>()
    for (const id of this.#changed) for (const changed of this.of(id)) told.add(changed)
    this.#changed.clear()
    tell(told)
  }
}

/** A microtask away, without what Node adds to queueMicrotask. */
const soon = Promise.resolve()

/** Calls everybody. One who throws is the page's error and does not stop the others. */
export function tell(listeners: Iterable<() => void>): void {
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
