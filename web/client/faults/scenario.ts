import type { Program } from '../../e2e/program.ts'
import type { FieldsInput } from '../src/composition/value.ts'
import type { Gateway } from './gateway.ts'
import type { Model, RecordModel } from './model.ts'
import type { Field, Operation, Report } from './operation.ts'
import type { AccidentContext, Accidents, Platform, Tab, TabFactory } from './platform.ts'

/** The parts of a trial that a scenario uses. */
export interface ScenarioOptions {
  readonly platform: Platform
  readonly factory: TabFactory
  readonly gateway: Gateway
  readonly program: Program
  readonly model: Model
  readonly random: () => number
  log(line: string): void
  count(name: string): void
}

/** Three tabs whose users write while accidents happen. The random numbers of the seed determine each step. */
export class Scenario {
  readonly tabs: Tab[] = []
  readonly #options: ScenarioOptions
  readonly #accidents: [name: string, cause: Accidents[string]][]
  /** Operations and delayed work. The run waits for them before it ends. */
  readonly #pending: Promise<unknown>[] = []
  #opened = 0
  #writes = 0
  #isServerUp = true
  /**
   * The error of a failed restart of the server. The trial is then broken, because another server may have responded to
   * its tabs.
   */
  #startError: unknown

  constructor(options: ScenarioOptions) {
    this.#options = options
    const { gateway } = options
    const commonAccidents: Accidents = {
      'network cut': async () => {
        gateway.disconnect()
        this.#later(() => gateway.reconnect())
      },
      'server killed': () => this.#restartServer(),
    }
    this.#accidents = Object.entries({ ...commonAccidents, ...options.factory.accidents })
  }

  async run(): Promise<void> {
    const { random } = this.#options
    for (let i = 0; i < 3; i++) await this.open()
    const steps = 25 + random() * 35
    for (let step = 0; step < steps; step++) {
      if (random() < 0.15) await this.#causeAccident()
      else this.#operate()
      if (random() < 0.7) await new Promise((done) => setTimeout(done, random() * 250))
    }
    // Pending work may add more pending work.
    for (let i = 0; i < this.#pending.length; i++) await this.#pending[i]
    if (this.#startError) throw this.#startError
  }

  readonly open = async (replaced?: Tab, copied?: Tab): Promise<void> => {
    const { platform, factory, model, log } = this.#options
    const name = `tab ${++this.#opened}`
    if (replaced) {
      this.tabs.splice(this.tabs.indexOf(replaced), 1)
      model.onTabGone(replaced.name, platform.hasSharedDisk)
      log(`${replaced.name} is gone`)
    }
    const onReport = (report: Report) => {
      log(`${name}: ${JSON.stringify(report)}`)
      model.onReport(name, report)
    }
    const tab = await factory.open(name, onReport, copied)
    this.tabs.push(tab)
    log(`${name} is open`)
  }

  /**
   * Commits or rolls back the open transactions. Returns a sentence for each transaction that was reported as open but
   * is missing. A transaction whose tab closed before it reported may have been saved in part; it is rolled back.
   */
  async endOpenTransactions(): Promise<string[]> {
    const { model, random, log } = this.#options
    const ended = new Set<number>()
    for (const tab of this.tabs) {
      for (const write of (await tab.status()).open.filter((write) => !ended.has(write))) {
        const commit = model.open.has(write) && random() < 0.5
        const operation: Operation = { do: 'end', write, commit }
        log(`${tab.name} ${JSON.stringify(operation)}`)
        model.onRequested(tab.name, operation)
        ended.add(write)
        await tab.carryOut(operation)
      }
    }
    return [...model.open].map(
      ([write, tab]) => `the transaction from write ${write} that ${tab} left open is missing`,
    )
  }

  async #causeAccident(): Promise<void> {
    const { random, log, count } = this.#options
    // The last tab that is open has no accidents.
    if (this.tabs.length < 2) return
    const [name, cause] = this.#pick(this.#accidents)
    log(`* ${name}`)
    count(name)
    const context: AccidentContext = {
      tabs: this.tabs,
      random,
      pick: (list) => this.#pick(list),
      open: this.open,
      onReloaded: (tab) => this.#onReloaded(tab),
      later: (work, within) => this.#later(work, within),
    }
    await cause(context).catch((e) => this.#logError(e))
  }

  async #restartServer(): Promise<void> {
    const { program } = this.#options
    if (!this.#isServerUp) return
    this.#isServerUp = false
    await program.kill()
    this.#later(async () => {
      try {
        await program.start()
        this.#isServerUp = true
      } catch (e) {
        this.#startError = e
      }
    })
  }

  #onReloaded({ name }: Tab): void {
    const { model, platform, log } = this.#options
    model.onTabGone(name, platform.hasSharedDisk)
    log(`${name} was reloaded`)
  }

  #operate(): void {
    const { model, log } = this.#options
    const tab = this.#pick(this.tabs)
    if (!tab) return
    const [about, to] = [this.#pickRecord(tab), this.#pickRecord(tab)]
    const operation = this.#chooseOperation(tab, about, to)
    log(`${tab.name} ${JSON.stringify(operation)}`)
    model.onRequested(tab.name, operation, operation.do === 'create' ? undefined : about, to)
    this.#pending.push(tab.carryOut(operation).catch((e) => this.#logError(e)))
  }

  #chooseOperation(tab: Tab, about?: RecordModel, to?: RecordModel): Operation {
    const { platform, random } = this.#options
    const roll = random()
    if (roll < 0.04) return { do: this.#pick(['retry', 'refresh']) }
    if (roll < 0.08) return { do: 'discard' }
    const open = this.#openTransactions(tab)
    if (roll < 0.11 && open.length > 0)
      return { do: 'end', write: this.#pick(open), commit: random() < 0.5 }
    const write = ++this.#writes
    if (roll < 0.17) return this.#chooseTransaction(write)
    if (!about || !to || roll < 0.42) return { do: 'create', write, fields: this.#newFields(write) }
    const useReal = platform.hasSharedDisk && about.real && random() < 0.3
    const id = useReal && about.real ? about.real : this.#idIn(tab, about)
    if (roll < 0.46) return { do: 'load', id }
    if (roll < 0.52) return { do: 'remove', write, id }
    if (roll < 0.6 && about !== to) return { do: 'link', write, id, to: this.#idIn(tab, to) }
    const field: Field = random() < 0.7 ? 'text' : 'at'
    return { do: 'update', write, id, field, value: `${field} by ${write}` }
  }

  #chooseTransaction(write: number): Operation {
    const end = this.#pick(['commit', 'commit', 'rollback', 'leave'] as const)
    this.#writes += 3
    const records = [this.#newFields(write), this.#newFields(write + 1)] as const
    return { do: 'transact', write, records, value: `text by ${write + 2}`, end }
  }

  #newFields(write: number): FieldsInput {
    const key = `note ${write}`
    const done = this.#options.random() < 0.5
    return { key, text: `text of ${key}`, at: { x: `at of ${key}` }, done }
  }

  /**
   * Picks a record that has an id in the tab. Picks recent records more often, so that tabs write to the same records.
   */
  #pickRecord(tab: Tab): RecordModel | undefined {
    const { model, random } = this.#options
    const records = [...model.records.values()].filter((record) => this.#idIn(tab, record) !== 0)
    return records[records.length - 1 - Math.floor(random() ** 2 * records.length)]
  }

  #openTransactions(tab: Tab): number[] {
    const { platform, model } = this.#options
    const open = [...model.open].filter(([, owner]) => platform.hasSharedDisk || owner === tab.name)
    return open.map(([write]) => write)
  }

  /** Returns an id of a record that is valid in a tab, or 0 if there is none. */
  #idIn(tab: Tab, { id, real, tab: creator }: RecordModel): number {
    return this.#options.platform.hasSharedDisk || creator === tab.name ? id : (real ?? 0)
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#options.random() * list.length)] as T
  }

  #later(work: () => Promise<void> | void, within = 1_500): void {
    const wait = this.#options.random() * within
    const delayedWork = new Promise((resolve) => setTimeout(resolve, wait)).then(work)
    this.#pending.push(delayedWork.catch((e) => this.#logError(e)))
  }

  #logError(e: unknown): void {
    this.#options.log(`! ${e instanceof Error ? e.message : e}`)
  }
}
