import type { Field, Taken } from '@weft/client/validate'

/** How long nobody has typed before it is asked whether a value is taken, in milliseconds. */
const pause = 300

/** Knows, of the value last asked about under each key, whether somebody has it already. */
export class Uniqueness {
  readonly #changed: () => void
  readonly #asked = new Map<string, Asked>()
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** What is wrong with just this value, as far as the answer to it is here. */
  errors(key: string, value: string): readonly string[] {
    const asked = this.#asked.get(key)
    return asked?.value === value ? (asked.errors ?? []) : []
  }

  checking(key: string, value: string): boolean {
    const asked = this.#asked.get(key)
    return asked?.value === value && asked.errors === undefined
  }

  /** Asks unless `stop` is called, or something else asked, within the pause. */
  askLater(key: string, field: Field, value: string, taken: Taken): void {
    const later = () => void this.ask(key, field, value, taken).catch(ignore)
    this.stop(key)
    this.#timers.set(key, setTimeout(later, pause))
  }

  /** Asks, unless that has been done for this value. Rejects when nobody can say. */
  ask(key: string, field: Field, value: string, taken: Taken): Promise<void> {
    this.stop(key)
    const known = this.#asked.get(key)
    if (known?.value === value) return known.answer
    const asked: Asked = { value, errors: undefined, answer: Promise.resolve() }
    this.#asked.set(key, asked)
    asked.answer = this.#answer(key, asked, field, taken)
    this.#changed()
    return asked.answer
  }

  /** Forgets what was to be asked later: under a key, or under all. */
  stop(key?: string): void {
    for (const [of, timer] of this.#timers) if (key === undefined || key === of) clearTimeout(timer)
  }

  async #answer(key: string, asked: Asked, field: Field, taken: Taken): Promise<void> {
    try {
      const { checkUnique } = await import('@weft/client/validate')
      asked.errors = Object.values(await checkUnique(field, asked, taken))
    } catch (error) {
      if (this.#asked.get(key) === asked) this.#asked.delete(key)
      throw error
    } finally {
      this.#changed()
    }
  }
}

interface Asked {
  readonly value: string
  /** Undefined until the answer is here. */
  errors: readonly string[] | undefined
  answer: Promise<void>
}

/** Whoever submits the form asks again, and hears of it. */
const ignore = () => {}
