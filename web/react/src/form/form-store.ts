import type { Field, IsTaken } from '@weft/client/validate'
import { UniquenessChecks } from './uniqueness-checks.ts'

type Validation = typeof import('@weft/client/validate')

/** The rules of a field. Error messages name the field by its `name` or, without one, by its key in the form. */
export type Rules = Omit<Field, 'name' | 'accept'> & { readonly name?: string }

export type Values<N extends string> = Readonly<Record<N, string>>

/** Error messages by field. A field without errors has no entry. */
export type Errors<N extends string> = Readonly<Partial<Record<N, readonly string[]>>>

export interface FormOptions<N extends string> {
  readonly fields: Readonly<Record<N, Rules>>
  /**
   * Initial values. Fields that are left out start empty. The values are read once, at the first render; `reset`
   * restores them.
   */
  readonly initial?: Partial<Values<NoInfer<N>>>
  /** Reports whether a record with this value of a unique field exists. */
  readonly isTaken?: IsTaken | undefined
  /** Called with values that pass all rules. Rejects if the values are not accepted. */
  readonly submit: (values: Values<N>) => Promise<unknown>
  /**
   * Maps a rejection of `submit` to messages of fields. If it returns undefined, the rejection is the error of the
   * whole form.
   */
  readonly fieldErrors?: (error: Error) => Partial<Values<NoInfer<N>>> | undefined
}

/**
 * The status of a form:
 *
 *   editing ──submit──▶ submitting ──accepted──▶ submitted ──set──▶ editing
 *      ▲                    │  └─────rejected──▶ failed ──submit──▶ submitting
 *      └──a rule is broken──┘
 *
 *   editing      nothing has been submitted since the last change, or the values break a rule
 *   submitting   the rules load, unique values are checked, then `submit` runs; another submit is ignored
 *   submitted    `submit` has resolved
 *   failed       `submit` rejected: fields or the form show its error. Also if the rules did not load or a uniqueness
 *                check failed: the form shows `validationFailed`. Changing a value keeps this status
 *
 * `reset` returns to `editing` from every status and ignores the outcome of a running submission.
 */
type FormStatus = 'editing' | 'submitting' | 'submitted' | 'failed'

export interface FormState<N extends string> {
  readonly status: FormStatus
  readonly values: Values<N>
  /** Errors of touched fields. */
  readonly errors: Errors<N>
  /** Fields the user has left; all fields after a submission. */
  readonly touched: ReadonlySet<N>
  /** Touched fields whose value passed all checks, including the check of uniqueness. */
  readonly valid: ReadonlySet<N>
  /** Unique fields whose value is being checked. */
  readonly checking: ReadonlySet<N>
  /** Whether any value differs from its initial value. */
  readonly dirty: boolean
  /** The error of the form as a whole. */
  readonly error: Error | undefined
  /** The number of submissions that ended with errors. */
  readonly rejectionCount: number
}

/** The part of the state that is stored. The rest of `FormState` is derived from it. */
type StoredState<N extends string> = Omit<
  FormState<N>,
  'errors' | 'valid' | 'checking' | 'dirty'
> & {
  /** Messages of fields from the last rejected submission, until the value changes. */
  readonly fieldErrors: Partial<Values<N>>
}

/** The state and behaviour of a form, independent of React. */
export class FormStore<N extends string> {
  #options: FormOptions<N>
  readonly #initial: Values<N>
  readonly #uniqueness = new UniquenessChecks(() => this.#update({}))
  readonly #listeners = new Set<() => void>()
  /** Undefined until the rules are loaded. */
  #validation: Validation | undefined
  /** Counts submissions and resets. A submission with an older number is obsolete. */
  #submission = 0
  #stored: StoredState<N>
  #state: FormState<N>

  constructor(options: FormOptions<N>) {
    this.#options = options
    const values = this.#names.map((name) => [name, options.initial?.[name] ?? ''])
    this.#initial = Object.fromEntries(values)
    this.#stored = initialState(this.#initial)
    this.#state = this.#deriveState()
  }

  readonly get = (): FormState<N> => this.#state

  readonly subscribe = (onChange: () => void): (() => void) => {
    this.#listeners.add(onChange)
    return () => {
      this.#listeners.delete(onChange)
      if (this.#listeners.size === 0) this.#uniqueness.cancel()
    }
  }

  /** Replaces the options. The initial values stay. */
  setOptions(options: FormOptions<N>): void {
    this.#options = options
  }

  /** Loads the validation rules. They are not needed before the user starts to fill in the form. */
  readonly loadRules = async (): Promise<Validation> => {
    if (this.#validation) return this.#validation
    const validation = await import('@weft/client/validate')
    this.#validation = validation
    this.#update({})
    return validation
  }

  readonly set = (name: N, value: string): void => {
    // A failure is reported by `submit`, which loads the rules again.
    this.loadRules().catch(() => {})
    const { status, values, fieldErrors } = this.#stored
    this.#update({
      values: { ...values, [name]: value },
      fieldErrors: { ...fieldErrors, [name]: undefined },
      status: status === 'submitted' ? 'editing' : status,
    })
    const { isTaken } = this.#options
    if (isTaken && this.#needsUniquenessCheck(name))
      this.#uniqueness.checkLater(name, this.#field(name), value, isTaken)
    else this.#uniqueness.cancel(name)
  }

  /**
   * Marks a field as touched, but only after the pointer press that moved the focus has ended. An error that appears
   * earlier could move the pressed button away.
   */
  readonly leave = (name: N): void => {
    const touch = () => this.#update({ touched: new Set(this.#stored.touched).add(name) })
    this.loadRules().then(({ afterPointerUp }) => afterPointerUp(touch), touch)
  }

  readonly reset = (): void => {
    this.#submission++
    this.#uniqueness.cancel()
    this.#update(initialState(this.#initial))
  }

  /** Validates and submits the values. Never rejects; errors are stored in the state. */
  readonly submit = async (): Promise<void> => {
    if (this.#stored.status === 'submitting') return
    const submission = ++this.#submission
    const isCurrent = () => submission === this.#submission
    this.#update({ touched: new Set(this.#names), fieldErrors: {}, error: undefined })
    if (this.#hasErrors()) return this.#rejectSubmission('editing')
    this.#update({ status: 'submitting' })
    const isValid = await this.#validateAll(isCurrent)
    if (!isValid) return
    try {
      await this.#options.submit(this.#stored.values)
      if (isCurrent()) this.#update({ status: 'submitted' })
    } catch (thrown) {
      if (isCurrent()) this.#fail(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
  }

  /** Checks all rules, and reports whether the submission can continue. If it cannot, the state contains the reason. */
  async #validateAll(isCurrent: () => boolean): Promise<boolean> {
    try {
      await this.loadRules()
      if (isCurrent() && !this.#hasErrors()) await this.#checkUniqueFields()
    } catch (cause) {
      if (!isCurrent()) return false
      this.#update({ error: new Error(validationFailed, { cause }) })
      this.#rejectSubmission('failed')
      return false
    }
    if (!isCurrent()) return false
    if (!this.#hasErrors()) return true
    this.#rejectSubmission('editing')
    return false
  }

  #fail(error: Error): void {
    const fieldErrors = this.#options.fieldErrors?.(error)
    if (fieldErrors) this.#update({ fieldErrors })
    else this.#update({ error })
    this.#rejectSubmission('failed')
  }

  #rejectSubmission(status: 'editing' | 'failed'): void {
    this.#update({ status, rejectionCount: this.#stored.rejectionCount + 1 })
  }

  #update(part: Partial<StoredState<N>>): void {
    this.#stored = { ...this.#stored, ...part }
    this.#state = this.#deriveState()
    for (const listener of this.#listeners) listener()
  }

  #deriveState(): FormState<N> {
    const { fieldErrors: _, ...stored } = this.#stored
    const { touched, values } = stored
    const errors: Partial<Record<N, readonly string[]>> = {}
    const valid = new Set<N>()
    for (const name of touched) {
      const messages = this.#errorsOf(name)
      if (messages.length > 0) errors[name] = messages
      else if (this.#isChecked(name)) valid.add(name)
    }
    const checking = this.#names.filter((name) => this.#uniqueness.isChecking(name, values[name]))
    const dirty = this.#names.some((name) => values[name] !== this.#initial[name])
    return { ...stored, errors, valid, checking: new Set(checking), dirty }
  }

  #hasErrors(): boolean {
    return this.#names.some((name) => this.#errorsOf(name).length > 0)
  }

  async #checkUniqueFields(): Promise<void> {
    const { isTaken } = this.#options
    if (isTaken === undefined) return
    const unique = this.#names.filter((name) => this.#needsUniquenessCheck(name))
    const check = (name: N) =>
      this.#uniqueness.check(name, this.#field(name), this.#stored.values[name], isTaken)
    await Promise.all(unique.map(check))
  }

  #needsUniquenessCheck(name: N): boolean {
    const isUniqueValue = this.#options.fields[name].isUnique && this.#stored.values[name] !== ''
    return Boolean(isUniqueValue) && this.#brokenRules(name).length === 0
  }

  /** Reports whether all rules of a field were applied to its value. */
  #isChecked(name: N): boolean {
    if (this.#validation === undefined) return false
    const awaitsCheck = this.#options.isTaken && this.#needsUniquenessCheck(name)
    return !awaitsCheck || this.#uniqueness.isChecked(name, this.#stored.values[name])
  }

  #errorsOf(name: N): readonly string[] {
    const value = this.#stored.values[name]
    const broken = this.#brokenRules(name)
    if (broken.length > 0) return broken
    const fieldError = this.#stored.fieldErrors[name]
    if (fieldError !== undefined) return [fieldError]
    return this.#uniqueness.errors(name, value)
  }

  #brokenRules(name: N): readonly string[] {
    const input = { value: this.#stored.values[name] }
    try {
      return Object.values(this.#validation?.validateField(this.#field(name), input) ?? {})
    } catch {
      return [validationFailed]
    }
  }

  #field(name: N): Field {
    return { name, ...this.#options.fields[name] }
  }

  get #names(): N[] {
    return Object.keys(this.#options.fields) as N[]
  }
}

/** The error that is shown if a check could not be completed, for example because of a malformed pattern. */
const validationFailed = 'Validation failed. Please try again.'

function initialState<N extends string>(values: Values<N>): StoredState<N> {
  return {
    status: 'editing',
    values,
    touched: new Set(),
    fieldErrors: {},
    error: undefined,
    rejectionCount: 0,
  }
}
