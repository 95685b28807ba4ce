import type { Id } from '../graph/id.ts'

/** How often each id was counted. */
export class Counts {
  readonly #counts = new Map<Id, number>()

  has(id: Id): boolean {
    return this.#counts.size > 0 && this.#counts.has(id)
  }

  ids(): Iterable<Id> {
    return this.#counts.keys()
  }

  /** True when it is the first. */
  more(id: Id): boolean {
    const n = this.#counts.get(id) ?? 0
    this.#counts.set(id, n + 1)
    return n === 0
  }

  /** True when it was the last; false also when there was none. */
  less(id: Id): boolean {
    const n = this.#counts.get(id) ?? 0
    if (n > 1) this.#counts.set(id, n - 1)
    else this.#counts.delete(id)
    return n === 1
  }

  /** What was counted for one id counts for another. */
  move(from: Id, to: Id): void {
    const n = this.#counts.get(from)
    if (n === undefined) return
    this.#counts.delete(from)
    this.#counts.set(to, (this.#counts.get(to) ?? 0) + n)
  }
}
