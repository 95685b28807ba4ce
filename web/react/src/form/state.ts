import type { Field, Taken } from '@weft/client/validate'
import { Uniqueness } from './uniqueness.ts'

type Code = typeof import('@weft/client/validate')

/** What a field asks of its value. Messages call it by its `name`, or else by its key in the form. */
export type Rules = Omit<Field, 'name' | 'accept'> & { readonly name?: string }

export type Values<N extends string> = Readonly<Record<N, string>>

/** What is wrong with fields, in sentences. A field without any is not in it. */
export type Errors<N extends string> = Readonly<Partial<Record<N, readonly string[]>>>

export interface FormOptions<N extends string> {
  readonly fields: Readonly<Record<N, Rules>>
  /** Empty unless said. Read once; `reset` goes back to it. */
  readonly initial?: Partial<Values<NoInfer<N>>>
  /** Says whether somebody has a value of a unique field already. */
  readonly taken?: Taken | undefined
  /** Called with values that broke no rule. Rejects when they were not taken. */
  readonly submit: (values: Values<N>) => Promise<unknown>
  /** Which fields are to blame for what `submit` rejected with. Of the rest, the form as a whole says so. */
  readonly refused?: (error: Error) => Partial<Values<NoInfer<N>>> | undefined
}

export interface FormState<N extends string> {
  readonly status: 'editing' | 'submitting' | 'submitted' | 'failed'
  readonly values: Values<N>
  /** Of the fields that are touched. */
  readonly errors: Errors<N>
  /** Fields that were left; all of them once the form was submitted. */
  readonly touched: ReadonlySet<N>
  /** Unique fields of which it is being asked whether somebody has the value. */
  readonly checking: ReadonlySet<N>
  readonly dirty: boolean
  /** Why the form failed, when no field is to blame. */
  readonly error: Error | undefined
  /** Grows each time a submission ends at errors. */
  readonly rejections: number
}

/** What of the state is not worked out from the rest. */
type Own<N extends string> = Omit<FormState<N>, 'errors' | 'checking' | 'dirty'> & {
  readonly refused: Partial<Values<N>>
}

/** A form without its looks. */
export class FormStore<N extends string> {
  #options: FormOptions<N>
  readonly #initial: Values<N>
  readonly #unique = new Uniqueness(() => this.#update({}))
  readonly #listeners = new Set<() => void>()
  /** Undefined until it is here. */
  #code: Code | undefined
  #submissions = 0
  #own: Own<N>
  #state: FormState<N>

  constructor(options: FormOptions<N>) {
    this.#options = options
    const values = this.#names.map((name) => [name, options.initial?.[name] ?? ''])
    this.#initial = Object.fromEntries(values)
    this.#own = fresh(this.#initial)
    this.#state = this.#whole()
  }

  readonly get = (): FormState<N> => this.#state

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => {
      this.#listeners.delete(changed)
      if (this.#listeners.size === 0) this.#unique.stop()
    }
  }

  /** Goes on with these options. The initial values stay. */
  follow(options: FormOptions<N>): void {
    this.#options = options
  }

  /** Loads the code of the rules, which nobody needs before somebody fills the form in. */
  readonly prepare = async (): Promise<Code> => {
    if (this.#code) return this.#code
    const code = await import('@weft/client/validate')
    this.#code = code
    this.#update({})
    return code
  }

  readonly set = (name: N, value: string): void => {
    this.prepare().catch(ignore)
    const { status, values, refused } = this.#own
    this.#update({
      values: { ...values, [name]: value },
      refused: { ...refused, [name]: undefined },
      status: status === 'submitted' ? 'editing' : status,
    })
    const { taken } = this.#options
    if (taken && this.#mayBeTaken(name))
      this.#unique.askLater(name, this.#field(name), value, taken)
    else this.#unique.stop(name)
  }

  readonly leave = (name: N): void => {
    const leave = () => this.#update({ touched: new Set(this.#own.touched).add(name) })
    this.prepare().then(({ afterPress }) => afterPress(leave), leave)
  }

  readonly reset = (): void => {
    this.#submissions++
    this.#unique.stop()
    this.#update(fresh(this.#initial))
  }

  /** Never rejects: the state tells. */
  readonly submit = async (): Promise<void> => {
    if (this.#own.status === 'submitting') return
    const submission = ++this.#submissions
    const current = () => submission === this.#submissions
    this.#update({ touched: new Set(this.#names), refused: {}, error: undefined })
    if (this.#broken()) return this.#reject('editing')
    this.#update({ status: 'submitting' })
    try {
      await this.prepare()
      if (!current()) return
      if (this.#broken()) return this.#reject('editing')
      await this.#askAll()
      if (!current()) return
      if (this.#broken()) return this.#reject('editing')
      await this.#options.submit(this.#own.values)
      if (current()) this.#update({ status: 'submitted' })
    } catch (thrown) {
      if (current()) this.#fail(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
  }

  #fail(error: Error): void {
    const refused = this.#options.refused?.(error)
    if (refused) this.#update({ refused })
    else this.#update({ error })
    this.#reject('failed')
  }

  #reject(status: 'editing' | 'failed'): void {
    this.#update({ status, rejections: this.#own.rejections + 1 })
  }

  #update(part: Partial<Own<N>>): void {
    this.#own = { ...this.#own, ...part }
    this.#state = this.#whole()
    for (const changed of this.#listeners) changed()
  }

  #whole(): FormState<N> {
    const { refused: _, ...own } = this.#own
    const { touched, values } = own
    const errors: Partial<Record<N, readonly string[]>> = {}
    for (const name of touched) {
      const found = this.#errorsOf(name)
      if (found.length > 0) errors[name] = found
    }
    const checking = this.#names.filter((name) => this.#unique.checking(name, values[name]))
    const dirty = this.#names.some((name) => values[name] !== this.#initial[name])
    return { ...own, errors, checking: new Set(checking), dirty }
  }

  #broken(): boolean {
    return this.#names.some((name) => this.#errorsOf(name).length > 0)
  }

  /** Asks of every unique field whether somebody has its value. */
  async #askAll(): Promise<void> {
    const { taken } = this.#options
    if (taken === undefined) return
    const unique = this.#names.filter((name) => this.#mayBeTaken(name))
    const ask = (name: N) =>
      this.#unique.ask(name, this.#field(name), this.#own.values[name], taken)
    await Promise.all(unique.map(ask))
  }

  #mayBeTaken(name: N): boolean {
    const unique = this.#options.fields[name].isUnique && this.#own.values[name] !== ''
    return Boolean(unique) && this.#rulesBroken(name).length === 0
  }

  #errorsOf(name: N): readonly string[] {
    const value = this.#own.values[name]
    const broken = this.#rulesBroken(name)
    if (broken.length > 0) return broken
    const refused = this.#own.refused[name]
    if (refused !== undefined) return [refused]
    return this.#unique.errors(name, value)
  }

  #rulesBroken(name: N): readonly string[] {
    const errors = this.#code?.check(this.#field(name), { value: this.#own.values[name] })
    return Object.values(errors ?? {})
  }

  #field(name: N): Field {
    return { name, ...this.#options.fields[name] }
  }

  get #names(): N[] {
    return Object.keys(this.#options.fields) as N[]
  }
}

/** Whoever submits the form loads the rules again, and hears of it. */
const ignore = () => {}

function fresh<N extends string>(values: Values<N>): Own<N> {
  const status = 'editing'
  return { status, values, touched: new Set(), refused: {}, error: undefined, rejections: 0 }
}
