import { expect, test } from 'vitest'
import { type NetworkProxy, startNetworkProxy } from '../../e2e/network-proxy.ts'
import { type Client, createClient, type Id } from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'
import { begin, type Mark, type Transaction } from '../src/transaction/index.ts'
import { mulberry } from './dice.ts'
import { startServer } from './server.ts'

type Fields = Readonly<Record<string, string>>
/** The fields of each record; undefined for a removed one. */
type Model = Map<Id, Fields | undefined>

/** An open transaction, with the records as they would be without it. */
interface OpenTransaction {
  readonly tx: Transaction
  readonly without: Model
  readonly touched: Set<Id>
  marks: { readonly mark: Mark; readonly model: Model }[]
}

test('random transactions and other writes leave the same records as a model', async () => {
  const { port } = new URL(await startServer())
  const network = await startNetworkProxy(Number(port))
  for (let seed = 1; seed <= 30; seed++) await runSeed(network, seed)
})

/** Runs random steps and compares the records with a model. With every third seed the client is offline until the end. */
async function runSeed(network: NetworkProxy, seed: number): Promise<void> {
  if (seed % 3 === 0) network.disconnect()
  const { url } = network
  const dice = mulberry(seed)
  const below = (sides: number) => Math.floor(dice() * sides)
  const pickOne = <T>(...choices: T[]): T => choices[below(choices.length)] as T
  const client = createClient({ url, storage: 'memory' })
  const ids: Id[] = []
  let model: Model = new Map()
  let open: OpenTransaction | undefined

  const text = () => pickOne('red', 'blue', String(below(9)), `only here ${below(99)}`)

  /** Makes a random write to one of the allowed records, and updates the model. */
  function write(to: Pick<Client, 'create' | 'update' | 'remove'>, isFree: (id: Id) => boolean) {
    const known = ids.filter((id) => model.get(id) && isFree(id))
    const id = pickOne(...known, ...known, undefined)
    if (id === undefined) {
      const fields = { a: text(), b: text() }
      ids.push(to.create('the_roll', fields).id)
      return [ids.at(-1) as Id, fields] as const
    }
    if (below(6) === 0) {
      to.remove(id)
      return [id, undefined] as const
    }
    const change = { [pickOne('a', 'b', 'c')]: text() }
    to.update(id, change)
    return [id, { ...model.get(id), ...change }] as const
  }

  function writeInside(): void {
    const [id, fields] = write(open?.tx ?? client, () => true)
    model = new Map(model).set(id, fields)
    open?.touched.add(id)
  }

  /** Writes outside an open transaction, to records that it has not changed. */
  function writeBeside(): void {
    if (!open) return
    const { touched, without, marks } = open
    const [id, fields] = write(client, (id) => !touched.has(id))
    for (const state of [model, without, ...marks.map((m) => m.model)]) state.set(id, fields)
  }

  function mark(): void {
    open ??= { tx: begin(client), without: new Map(model), touched: new Set(), marks: [] }
    open.marks.push({ mark: open.tx.mark(), model: new Map(model) })
  }

  async function rollBackToMark(): Promise<void> {
    const index = below(open?.marks.length ?? 0)
    const target = open?.marks[index]
    if (!open || !target) return
    await open.tx.rollback(target.mark)
    model = new Map(target.model)
    open.marks = open.marks.slice(0, index + 1)
  }

  async function end(how: 'commit' | 'rollback' = pickOne('commit', 'rollback')): Promise<void> {
    await open?.tx[how]()
    if (open && how === 'rollback') model = open.without
    open = undefined
  }

  const steps = [writeInside, writeInside, writeInside, writeBeside, mark, rollBackToMark, end]
  for (let step = 0; step < 80; step++) {
    const next = pickOne(...steps)
    await (next === end ? end() : next())
    for (const id of ids)
      expect(client.record(id), `seed ${seed}, step ${step}: ${next.name}`).toEqual(model.get(id))
    if (below(10) === 0) await new Promise((resolve) => setTimeout(resolve, below(30)))
  }
  await end('commit')
  network.reconnect()
  await internalsOf(client).http.checkHealth()
  await expect.poll(() => client.sync.writes(), { message: `seed ${seed}` }).toEqual([])
  const otherClient = createClient({ url, storage: 'memory' })
  for (const id of ids) {
    expect(client.record(id), `seed ${seed}, sent`).toEqual(model.get(id))
    const real = internalsOf(client).graph.real(id)
    if (real > 0)
      expect(await otherClient.load(real), `seed ${seed}, on the server`).toEqual(model.get(id))
    else expect(model.get(id), `seed ${seed}, never sent`).toBeUndefined()
  }
  client.close()
  otherClient.close()
}
