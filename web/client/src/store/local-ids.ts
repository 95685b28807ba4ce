import type { Ghosts } from '../composition/build.ts'
import type { Id } from '../graph/id.ts'
import type { Storage } from './storage.ts'

/** Ids are reserved in steps of ten. */
const step = 10

/** Hands out local ids at once, and reserves the next ones before they run out. */
export class LocalIds implements Ghosts {
  readonly #concepts = new Pool('concept')
  readonly #connections = new Pool('connection')

  concept = (): Id => this.#concepts.take()
  connection = (): Id => this.#connections.take()

  /** Draws from the profile's counters from now on. */
  async open(storage: Storage): Promise<void> {
    await Promise.all([this.#concepts.reserve(storage), this.#connections.reserve(storage)])
  }
}

class Pool {
  readonly #kind: 'concept' | 'connection'
  #storage: Storage | undefined
  /** The blocks at hand, each from an id downwards. */
  #blocks: { next: Id; left: number }[] = []
  #left = 0
  #size = 10 * step
  #reserving = false
  /**
   * For when a burst is faster than the disk, or there is none: ids from a corner of the number space that
   * this page picked by chance and nobody else will pick.
   */
  #spare: Id = -(2 ** 40) - Math.floor(Math.random() * 2 ** 52)

  constructor(kind: 'concept' | 'connection') {
    this.#kind = kind
  }

  take(): Id {
    const block = this.#blocks[0]
    if (block === undefined) return this.#spare--
    block.left--
    // Should this fail, the spare ids serve.
    if (--this.#left < this.#size / 2 && !this.#reserving && this.#storage) {
      this.reserve(this.#storage).catch(() => {})
    }
    if (block.left === 0) this.#blocks.shift()
    return block.next--
  }

  async reserve(storage: Storage): Promise<void> {
    this.#storage = storage
    this.#reserving = true
    try {
      const above = await storage.reserve(this.#kind, this.#size)
      this.#blocks.push({ next: above - 1, left: this.#size })
      this.#left += this.#size
      // Who needed this much in one go may need more in the next.
      if (this.#left <= this.#size) this.#size = Math.min(2 * this.#size, 1_000 * step)
    } finally {
      this.#reserving = false
    }
  }
}
