import type { Ghosts } from '../composition/build.ts'
import type { Id } from '../graph/id.ts'
import type { Storage } from './storage.ts'

/** How many ids are reserved at once. The next block is asked for when half of one is left. */
const block = 1_000

/** Hands out local ids at once, and reserves the next ones before they run out. */
export class LocalIds implements Ghosts {
  readonly #concepts: Pool
  readonly #connections: Pool

  /** Alone says that no other page hands out ids under the randomizer of this one. */
  constructor(alone: boolean) {
    this.#concepts = new Pool('concept', alone)
    this.#connections = new Pool('connection', alone)
  }

  concept(): Id {
    return this.#concepts.take()
  }

  connection(): Id {
    return this.#connections.take()
  }

  /** Draws from the profile's counters from now on. */
  async open(storage: Storage): Promise<void> {
    await Promise.all([this.#concepts.open(storage), this.#connections.open(storage)])
  }
}

class Pool {
  readonly #kind: 'concept' | 'connection'
  readonly #ids: Id[] = []
  #reserve: (() => Promise<void>) | undefined
  /**
   * For when a burst is faster than the disk: ids from a corner of the number space that this page picked
   * by chance and nobody else will pick. Engines are slower with numbers so large.
   */
  #spare: Id

  constructor(kind: 'concept' | 'connection', alone: boolean) {
    this.#kind = kind
    this.#spare = alone ? -101 : -(2 ** 40) - Math.floor(Math.random() * 2 ** 52)
  }

  take(): Id {
    // While a block is on its way nobody asks for another; should it fail, the spare ids serve.
    if (this.#ids.length < block / 2) this.#reserve?.().catch(() => {})
    return this.#ids.shift() ?? this.#spare--
  }

  async open(storage: Storage): Promise<void> {
    const reserve = async () => {
      this.#reserve = undefined
      const above = await storage.reserve(this.#kind, block)
      for (let n = 1; n <= block; n++) this.#ids.push(above - n)
      this.#reserve = reserve
    }
    await reserve()
  }
}
