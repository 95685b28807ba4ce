import type { Field, IsTaken } from '@weft/client/validate'

/** After this time without a key press, the server is asked whether a value is taken, in milliseconds. */
const checkDelay = 300

/** Checks whether values are unique. Stores, for each field, the result for the value that was checked last. */
export class UniquenessChecks {
  readonly #onChange: () => void
  readonly #checks = new Map<string, Check>()
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Returns the errors of exactly this value; an empty list while the result is not known. */
  errors(key: string, value: string): readonly string[] {
    const check = this.#checks.get(key)
    return check?.value === value ? (check.errors ?? []) : []
  }

  /** Reports whether the result for exactly this value is known. */
  isChecked(key: string, value: string): boolean {
    const check = this.#checks.get(key)
    return check?.value === value && check.errors !== undefined
  }

  isChecking(key: string, value: string): boolean {
    const check = this.#checks.get(key)
    return check?.value === value && check.errors === undefined
  }

  /** Checks the value after `checkDelay`, unless `cancel` or another check of the field comes first. */
  checkLater(key: string, field: Field, value: string, isTaken: IsTaken): void {
    const start = () => void this.check(key, field, value, isTaken).catch(ignoreError)
    this.cancel(key)
    this.#timers.set(key, setTimeout(start, checkDelay))
  }

  /** Checks the value, unless it is the value that was checked last. Rejects if the server cannot be asked. */
  check(key: string, field: Field, value: string, isTaken: IsTaken): Promise<void> {
    this.cancel(key)
    const last = this.#checks.get(key)
    if (last?.value === value) return last.done
    const check: Check = { value, errors: undefined, done: Promise.resolve() }
    this.#checks.set(key, check)
    check.done = this.#run(key, check, field, isTaken)
    this.#onChange()
    return check.done
  }

  /** Cancels the delayed check of a field, or of all fields. */
  cancel(key?: string): void {
    for (const [timerKey, timer] of this.#timers)
      if (key === undefined || key === timerKey) clearTimeout(timer)
  }

  async #run(key: string, check: Check, field: Field, isTaken: IsTaken): Promise<void> {
    try {
      const { validateUnique } = await import('@weft/client/validate')
      check.errors = Object.values(await validateUnique(field, check, isTaken))
    } catch (error) {
      if (this.#checks.get(key) === check) this.#checks.delete(key)
      throw error
    } finally {
      this.#onChange()
    }
  }
}

interface Check {
  readonly value: string
  /** Undefined while the check runs. */
  errors: readonly string[] | undefined
  done: Promise<void>
}

/**
 * The failure of a delayed check is ignored: the check is repeated when the form is submitted, and a failure is
 * reported then.
 */
const ignoreError = () => {}
