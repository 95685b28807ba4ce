import { expect, test } from 'vitest'
import { type WireCutter, wireCutter } from '../../e2e/wire-cutter.ts'
import { type Client, createClient, type Id } from '../src/index.ts'
import { insideOf } from '../src/inside.ts'
import { begin, type Mark, type Transaction } from '../src/transaction/index.ts'
import { mulberry } from './dice.ts'
import { startServer } from './server.ts'

type Fields = Readonly<Record<string, string>>
/** What each record holds; of one that is gone, nothing. */
type Model = Map<Id, Fields | undefined>

/** An open transaction, with what there would be without it. */
interface Open {
  readonly tx: Transaction
  readonly without: Model
  readonly touched: Set<Id>
  marks: { readonly mark: Mark; readonly model: Model }[]
}

test('transactions, and writes beside them, leave here and there what a model says', async () => {
  const { port } = new URL(await startServer())
  const cable = await wireCutter(Number(port))
  for (let seed = 1; seed <= 30; seed++) await roll(cable, seed)
})

/** Every third time without a network until the end, when all that was written is sent at once. */
async function roll(cable: WireCutter, seed: number): Promise<void> {
  if (seed % 3 === 0) cable.cut()
  const { url } = cable
  const dice = mulberry(seed)
  const below = (sides: number) => Math.floor(dice() * sides)
  const of = <T>(...choices: T[]): T => choices[below(choices.length)] as T
  const client = createClient({ url, storage: 'memory' })
  const ids: Id[] = []
  let model: Model = new Map()
  let open: Open | undefined

  const text = () => of('red', 'blue', String(below(9)), `only here ${below(99)}`)

  /** Writes something, to a record of which that is allowed, and says what came of it. */
  function write(to: Pick<Client, 'create' | 'update' | 'remove'>, isFree: (id: Id) => boolean) {
    const known = ids.filter((id) => model.get(id) && isFree(id))
    const id = of(...known, ...known, undefined)
    if (id === undefined) {
      const fields = { a: text(), b: text() }
      ids.push(to.create('the_roll', fields).id)
      return [ids.at(-1) as Id, fields] as const
    }
    if (below(6) === 0) {
      to.remove(id)
      return [id, undefined] as const
    }
    const change = { [of('a', 'b', 'c')]: text() }
    to.update(id, change)
    return [id, { ...model.get(id), ...change }] as const
  }

  function writeInside(): void {
    const [id, fields] = write(open?.tx ?? client, () => true)
    model = new Map(model).set(id, fields)
    open?.touched.add(id)
  }

  /** Beside an open transaction, and to nothing that it has touched. */
  function writeBeside(): void {
    if (!open) return
    const { touched, without, marks } = open
    const [id, fields] = write(client, (id) => !touched.has(id))
    for (const one of [model, without, ...marks.map((m) => m.model)]) one.set(id, fields)
  }

  function mark(): void {
    open ??= { tx: begin(client), without: new Map(model), touched: new Set(), marks: [] }
    open.marks.push({ mark: open.tx.mark(), model: new Map(model) })
  }

  async function goBack(): Promise<void> {
    const at = below(open?.marks.length ?? 0)
    const back = open?.marks[at]
    if (!open || !back) return
    await open.tx.rollback(back.mark)
    model = new Map(back.model)
    open.marks = open.marks.slice(0, at + 1)
  }

  async function end(how: 'commit' | 'rollback' = of('commit', 'rollback')): Promise<void> {
    await open?.tx[how]()
    if (open && how === 'rollback') model = open.without
    open = undefined
  }

  const steps = [writeInside, writeInside, writeInside, writeBeside, mark, goBack, end]
  for (let step = 0; step < 80; step++) {
    const next = of(...steps)
    await (next === end ? end() : next())
    for (const id of ids)
      expect(client.record(id), `seed ${seed}, step ${step}: ${next.name}`).toEqual(model.get(id))
    if (below(10) === 0) await new Promise((soon) => setTimeout(soon, below(30)))
  }
  await end('commit')
  cable.mend()
  await insideOf(client).http.probe()
  await expect.poll(() => client.sync.writes(), { message: `seed ${seed}` }).toEqual([])
  const stranger = createClient({ url, storage: 'memory' })
  for (const id of ids) {
    expect(client.record(id), `seed ${seed}, sent`).toEqual(model.get(id))
    const real = insideOf(client).graph.real(id)
    if (real > 0) expect(await stranger.load(real), `seed ${seed}, there`).toEqual(model.get(id))
    else expect(model.get(id), `seed ${seed}, never sent`).toBeUndefined()
  }
  client.close()
  stranger.close()
}
