import type { Program } from '../../e2e/program.ts'
import type { FieldsInput } from '../src/composition/value.ts'
import type { Accidents, Desk, Form, Tab, World } from './form.ts'
import type { Gateway } from './gateway.ts'
import type { Model, Note } from './model.ts'
import type { Field, Operation, Told } from './operation.ts'

/** Where a play takes place. */
export interface Stage {
  readonly form: Form
  readonly world: World
  readonly gateway: Gateway
  readonly program: Program
  readonly model: Model
  readonly dice: () => number
  /** Writes a line into the log. */
  note(line: string): void
  count(name: string): void
}

/** What users do in three tabs while things go wrong, step by step as the dice say. */
export function newPlay(stage: Stage) {
  const { form, world, gateway, program, model, dice, note, count } = stage
  const tabs: Tab[] = []
  const pending: Promise<unknown>[] = []
  let opened = 0
  let writes = 0
  let up = true

  const one = <T>(list: readonly T[]): T => list[Math.floor(dice() * list.length)] as T

  /** Work for a moment later; resolves once it is done, whatever came of it. */
  const later: Desk['later'] = (work, within = 1_500) => {
    const wait = dice() * within
    pending.push(new Promise((done) => setTimeout(done, wait)).then(work).catch(complain))
  }
  const complain = (e: unknown) => note(`! ${e instanceof Error ? e.message : e}`)

  async function open(instead?: Tab, copied?: Tab): Promise<void> {
    const name = `tab ${++opened}`
    if (instead) {
      tabs.splice(tabs.indexOf(instead), 1)
      model.gone(instead.name, form.shared)
      note(`${instead.name} is no more`)
    }
    const tell = (told: Told) => {
      note(`${name}: ${JSON.stringify(told)}`)
      model.told(name, told)
    }
    const tab = await world.open(name, tell, copied)
    tabs.push(tab)
    note(`${name} is open`)
  }

  function reloaded({ name }: Tab): void {
    model.gone(name, form.shared)
    note(`${name} was reloaded`)
  }

  const everywhere: Accidents = {
    'network cut': async () => {
      gateway.cut()
      later(() => gateway.join())
    },
    'server killed': async () => {
      if (!up) return
      up = false
      await program.kill()
      later(async () => {
        await program.start()
        up = true
      })
    },
  }
  const accidents = Object.entries({ ...everywhere, ...world.accidents })

  async function run(): Promise<void> {
    for (let i = 0; i < 3; i++) await open()
    const steps = 25 + dice() * 35
    for (let step = 0; step < steps; step++) {
      if (dice() < 0.15) await accident()
      else operate()
      if (dice() < 0.7) await new Promise((done) => setTimeout(done, dice() * 250))
    }
    // What is yet to come may bring more.
    for (let i = 0; i < pending.length; i++) await pending[i]
  }

  async function accident(): Promise<void> {
    // One is left to carry on.
    if (tabs.length < 2) return
    const [name, happen] = one(accidents)
    note(`* ${name}`)
    count(name)
    await happen({ tabs, dice, one, open, reloaded, later }).catch(complain)
  }

  function operate(): void {
    const tab = one(tabs)
    if (!tab) return
    const [about, to] = [known(tab), known(tab)]
    const operation = operationOn(tab, about, to)
    note(`${tab.name} ${JSON.stringify(operation)}`)
    model.asked(tab.name, operation, operation.do === 'create' ? undefined : about, to)
    pending.push(tab.carryOut(operation).catch(complain))
  }

  /** A record whose id means something in a tab; the latest ones more often, so that tabs meet. */
  function known(tab: Tab): Note | undefined {
    const notes = [...model.notes.values()].filter((n) => idOf(tab, n) !== 0)
    return notes[notes.length - 1 - Math.floor(dice() ** 2 * notes.length)]
  }

  const openIn = (tab: Tab): number[] =>
    [...model.open].filter(([, by]) => form.shared || by === tab.name).map(([write]) => write)

  const idOf = (tab: Tab, { id, real, tab: maker }: Note) =>
    form.shared || maker === tab.name ? id : (real ?? 0)

  function operationOn(tab: Tab, about?: Note, to?: Note): Operation {
    const roll = dice()
    if (roll < 0.04) return { do: one(['retry', 'refresh']) }
    if (roll < 0.08) return { do: 'discard' }
    const left = openIn(tab)
    if (roll < 0.11 && left.length > 0) return { do: 'end', write: one(left), commit: dice() < 0.5 }
    const write = ++writes
    if (roll < 0.17) {
      const end = one(['commit', 'commit', 'rollback', 'leave'] as const)
      writes += 3
      const records = [fields(write), fields(write + 1)] as const
      return { do: 'transact', write, records, value: `text by ${write + 2}`, end }
    }
    if (!about || !to || roll < 0.42) return { do: 'create', write, fields: fields(write) }
    const id = form.shared && about.real && dice() < 0.3 ? about.real : idOf(tab, about)
    if (roll < 0.46) return { do: 'load', id }
    if (roll < 0.52) return { do: 'remove', write, id }
    if (roll < 0.6 && about !== to) return { do: 'link', write, id, to: idOf(tab, to) }
    const field: Field = dice() < 0.7 ? 'text' : 'at'
    return { do: 'update', write, id, field, value: `${field} by ${write}` }
  }

  function fields(write: number): FieldsInput {
    const key = `note ${write}`
    return { key, text: `text of ${key}`, at: { x: `at of ${key}` }, done: dice() < 0.5 }
  }

  /**
   * Ends the transactions that are open, as whoever finds them does. What was left open must be; of others, of which a
   * tab that is no more may have kept a part, nobody knows.
   */
  async function endOpen(): Promise<string[]> {
    const wrong: string[] = []
    const ended = new Set<number>()
    for (const tab of tabs) {
      for (const write of (await tab.standing()).open.filter((write) => !ended.has(write))) {
        const operation: Operation = {
          do: 'end',
          write,
          commit: model.open.has(write) && dice() < 0.5,
        }
        note(`${tab.name} ${JSON.stringify(operation)}`)
        model.asked(tab.name, operation)
        ended.add(write)
        await tab.carryOut(operation)
      }
    }
    for (const [write, by] of model.open)
      wrong.push(`the transaction from write ${write} that ${by} left open is no more`)
    return wrong
  }

  return { tabs, run, open, endOpen }
}
