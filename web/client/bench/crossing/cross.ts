import type { Id } from '../../src/graph/id.ts'
import { type Cost, timesOf } from '../cost.ts'
import { mainOf, makeData } from '../data.ts'
import { weft } from '../library/weft.ts'
import type { Answer, Question } from './worker.ts'

/** What reading a concept takes, in microseconds. */
export interface Crossing {
  readonly here: Cost
  readonly there: Cost
  /** Each of a thousand that are asked for at once. */
  readonly gathered: Cost
}

const many = 1_000

/** Reads concepts in this thread, and of a worker, over a port. */
export async function cross(cpu: () => Promise<number>): Promise<Crossing> {
  const data = makeData()
  const ids = Array.from({ length: 10_000 }, (_, i) => mainOf((i * 7_919) % 10_000) + 1)
  const store = await weft.load(data)
  const here = await timesOf((i) => store.point(ids[i % ids.length] ?? 0), nothing, { cpu })
  await store.close()
  const ask = askWorker()
  if ((await ask([mainOf(0)]))[0]?.id !== mainOf(0)) throw new Error('the worker does not know')
  const there = await timesOf((i) => ask([ids[i % ids.length] ?? 0]), nothing, { cpu })
  const all = await timesOf(() => ask(ids.slice(0, many)), nothing, { cpu })
  return { here, there, gathered: { clock: all.clock / many, cpu: all.cpu / many } }
}

const nothing = () => {}

function askWorker(): (ids: readonly Id[]) => Promise<Answer['concepts']> {
  const worker = new Worker('/worker.js', { type: 'module' })
  const { port1: port, port2 } = new MessageChannel()
  worker.postMessage(undefined, [port2])
  const waiting = new Map<number, (concepts: Answer['concepts']) => void>()
  port.onmessage = ({ data: { number, concepts } }: MessageEvent<Answer>) => {
    waiting.get(number)?.(concepts)
    waiting.delete(number)
  }
  let last = 0
  return (ids) =>
    new Promise((done) => {
      const number = ++last
      waiting.set(number, done)
      port.postMessage({ number, ids } satisfies Question)
    })
}
