import { type Program, startProgram } from '../../e2e/program.ts'
import { mulberry } from '../test/dice.ts'
import { drain } from './drain.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { checkShownRecords, checkStoredRecords } from './judge.ts'
import { Model } from './model.ts'
import type { Platform, Tab, TabFactory } from './platform.ts'
import { Scenario } from './scenario.ts'
import { readServerState, type StoredRecord } from './server-state.ts'

/** The outcome of one seed. */
export interface Outcome {
  readonly platform: Platform['name']
  readonly seed: number
  /** A sentence for every write that was lost, doubled or wrongly reported. */
  readonly wrong: readonly string[]
  /** The reason why the trial did not end, for instance an overloaded machine. */
  readonly broken: string | undefined
  /** The number of occurrences of each operation, accident and fault. */
  readonly counts: Readonly<Record<string, number>>
  readonly seconds: number
  /** Everything that happened, line by line. */
  readonly log: readonly string[]
}

/** Maximum time of each part of a trial, in seconds. Even an overloaded machine needs less. */
const maxSeconds = 600
/**
 * Maximum time until a tab shows the stored records, in ms. The change stream reconnects within 75 s after a refusal.
 */
const maxViewDelay = 80_000

/** Runs a scenario with faults and accidents, then repairs everything and checks the records that are stored. */
export async function runTrial(platform: Platform, seed: number, binary: string): Promise<Outcome> {
  const trial = new Trial(platform, seed)
  await trial.run(binary)
  return trial.outcome()
}

class Trial {
  readonly #platform: Platform
  readonly #seed: number
  readonly #start = performance.now()
  readonly #model = new Model()
  readonly #log: string[] = []
  readonly #counts: Record<string, number> = {}
  readonly #wrong: string[] = []
  #broken: string | undefined
  #program: Program | undefined
  #gateway: Gateway | undefined
  #factory: TabFactory | undefined

  constructor(platform: Platform, seed: number) {
    this.#platform = platform
    this.#seed = seed
  }

  async run(binary: string): Promise<void> {
    try {
      await this.#run(binary)
    } catch (e) {
      this.#broken = `the trial did not end: ${e instanceof Error ? e.stack : e}`
    } finally {
      await this.#factory?.end().catch((e) => this.#note(`! ${e}`))
      await this.#gateway?.end()
      await this.#program?.end()
    }
  }

  outcome(): Outcome {
    for (const { kind, synced } of this.#model.writes.values()) {
      this.#count(kind)
      if (synced !== undefined) this.#count('reported as synced')
    }
    return {
      platform: this.#platform.name,
      seed: this.#seed,
      wrong: this.#wrong,
      broken: this.#broken,
      counts: this.#counts,
      seconds: this.#seconds(),
      log: this.#log,
    }
  }

  async #run(binary: string): Promise<void> {
    const platform = this.#platform
    const model = this.#model
    const program = await startProgram(binary)
    this.#program = program
    const gateway = await this.#startGateway(program)
    this.#gateway = gateway
    const factory = await platform.begin(gateway.url)
    this.#factory = factory
    const log = (line: string) => this.#note(line)
    const count = (name: string) => this.#count(name)
    const random = mulberry(this.#seed)
    const scenario = new Scenario({
      platform,
      factory,
      gateway,
      program,
      model,
      random,
      log,
      count,
    })
    await withTimeout(scenario.run())
    gateway.repair()
    await factory.repair(scenario)
    log('repaired')
    const wrong = this.#wrong
    wrong.push(...(await withTimeout(drain(scenario.tabs, model, log))))
    wrong.push(...(await withTimeout(scenario.endOpenTransactions())))
    wrong.push(...(await withTimeout(drain(scenario.tabs, model, log))))
    // A new tab reads the disk, if the platform has one, and must show the same records.
    await scenario.open()
    const stored = () => readServerState(program.url)
    wrong.push(...checkStoredRecords(model, await stored()))
    const views = scenario.tabs.map((tab) => checkTab(platform, tab, stored))
    wrong.push(...(await withTimeout(Promise.all(views))).flat())
  }

  #startGateway({ port }: Program): Promise<Gateway> {
    return startGateway({
      port,
      random: mulberry(this.#seed + 1e6),
      files: this.#platform.files,
      onFault: (fault, path) => {
        this.#note(`~ ${fault} ${path}`)
        this.#count(fault)
      },
      onSent: (body) => this.#model.onSent(body),
      onPassed: (response) => this.#note(`  ${response}`),
    })
  }

  #note(line: string): void {
    this.#log.push(`${this.#seconds().toFixed(2)} ${line}`)
    const { LIVE: live } = process.env
    if (live) process.stderr.write(`${this.#log.at(-1)}\n`)
  }

  #count(name: string): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + 1
  }

  #seconds(): number {
    return (performance.now() - this.#start) / 1_000
  }
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`not done after ${maxSeconds} s`)
    timer = setTimeout(() => reject(error), maxSeconds * 1_000)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/**
 * Waits until a tab shows the stored records. Returns a sentence for every difference that remains. Refreshes a tab that
 * does not update automatically: after a refused query, and outside a browser, where tabs have no change stream.
 */
async function checkTab(
  platform: Platform,
  tab: Tab,
  stored: () => Promise<StoredRecord[]>,
): Promise<string[]> {
  for (const start = performance.now(); ; ) {
    const shown = await tab.shownRecords()
    const refused = typeof shown === 'string' && /^error: (?!unavailable)/.test(shown)
    if (!platform.hasSharedDisk || refused) await tab.refresh()
    const wrong = checkShownRecords(tab.name, await tab.shownRecords(), await stored())
    if (wrong.length === 0) return []
    if (performance.now() - start > maxViewDelay)
      return [...wrong, `${tab.name} has the status ${JSON.stringify(await tab.status())}`]
    await new Promise((done) => setTimeout(done, 200))
  }
}
