import { type Program, startProgram } from '../../e2e/program.ts'
import { mulberry } from '../test/dice.ts'
import { drained } from './drain.ts'
import type { Form, Tab, World } from './form.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { newModel } from './model.ts'
import { newPlay } from './play.ts'
import { type Stored, storedAt } from './truth.ts'
import { judged, judgedView } from './verdict.ts'

/** What came of one seed. */
export interface Outcome {
  readonly form: Form['name']
  readonly seed: number
  /** A sentence for everything that was not as promised. */
  readonly wrong: readonly string[]
  /** Why the trial did not come to its end, which on a machine with no time left is nobody's fault. */
  readonly broken: string | undefined
  /** How often each thing was done or happened. */
  readonly counts: Readonly<Record<string, number>>
  readonly seconds: number
  /** What happened, line by line. */
  readonly log: readonly string[]
}

/** Lets users write in three tabs while everything around them fails, mends it all, and judges what is left. */
export async function trial(form: Form, seed: number, binary: string): Promise<Outcome> {
  const start = performance.now()
  const seconds = () => (performance.now() - start) / 1_000
  const log: string[] = []
  const { LIVE: live } = process.env
  const note = (line: string) => {
    log.push(`${seconds().toFixed(2)} ${line}`)
    if (live) process.stderr.write(`${log.at(-1)}\n`)
  }
  const counts: Record<string, number> = {}
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  const wrong: string[] = []
  let broken: string | undefined
  const model = newModel()
  const met = (fault: string, path: string) => {
    note(`~ ${fault} ${path}`)
    count(fault)
  }
  let program: Program | undefined
  let gateway: Gateway | undefined
  let world: World | undefined
  try {
    program = await startProgram(binary)
    const { url } = program
    gateway = await startGateway(
      program.port,
      mulberry(seed + 1e6),
      form.files,
      met,
      model.sent,
      (answer) => note(`  ${answer}`),
    )
    world = await form.begin(gateway.url)
    const dice = mulberry(seed)
    const play = newPlay({ form, world, gateway, program, model, dice, note, count })
    await within(600, play.run())
    gateway.mend()
    await world.mend(play)
    note('mended')
    wrong.push(...(await within(600, drained(play.tabs, model, note))))
    wrong.push(...(await within(600, play.endOpen())))
    wrong.push(...(await within(600, drained(play.tabs, model, note))))
    // What the disk says, where there is one, must be the same again.
    await play.open()
    const stored = () => storedAt(url)
    wrong.push(...judged(model, await stored()))
    const views = play.tabs.map((tab) => viewed(form, tab, stored))
    wrong.push(...(await within(600, Promise.all(views))).flat())
  } catch (e) {
    broken = `the trial broke: ${e instanceof Error ? e.stack : e}`
  } finally {
    await world?.end().catch((e) => note(`! ${e}`))
    await gateway?.end()
    await program?.end()
  }
  for (const { kind, synced } of model.writes.values()) {
    count(kind)
    if (synced !== undefined) count('told synced')
  }
  return { form: form.name, seed, wrong, broken, counts, seconds: seconds(), log }
}

/** Rejects after so many seconds, more than a machine that does much else needs. */
async function within<T>(seconds: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not end')), seconds * 1_000)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/**
 * What is wrong with what a tab shows, once it had the time to hear of everything: a stream that was refused is tried
 * again within 75 s. A query that was refused stays so
 * until the user asks again. Outside a browser there is no stream of changes, so there it is asked to look.
 */
async function viewed(form: Form, tab: Tab, stored: () => Promise<Stored[]>): Promise<string[]> {
  for (const start = performance.now(); ; ) {
    const shown = await tab.shown()
    const refused = typeof shown === 'string' && /^error: (?!unavailable)/.test(shown)
    if (!form.shared || refused) await tab.refresh()
    const wrong = judgedView(tab.name, await tab.shown(), await stored())
    if (wrong.length === 0) return []
    if (performance.now() - start > 80_000)
      return [...wrong, `${tab.name} stands ${JSON.stringify(await tab.standing())}`]
    await new Promise((done) => setTimeout(done, 200))
  }
}
