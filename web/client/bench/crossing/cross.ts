import type { Id } from '../../src/model/id.ts'
import { type Cost, measureRepeated } from '../cost.ts'
import { mainOf, makeData } from '../data.ts'
import { weft } from '../library/weft.ts'
import type { ReadRequest, ReadResponse } from './worker.ts'

/** The cost of reading a concept, in microseconds. */
export interface CrossingCosts {
  readonly inPage: Cost
  readonly inWorker: Cost
  /** The cost of each of a thousand concepts that are requested together. */
  readonly inWorkerBatched: Cost
}

const batchSize = 1_000

/** Measures reading concepts in this thread, and from a worker over a port. */
export async function measureCrossing(cpu: () => Promise<number>): Promise<CrossingCosts> {
  const data = makeData()
  const ids = Array.from({ length: 10_000 }, (_, i) => mainOf((i * 7_919) % 10_000) + 1)
  const store = await weft.load(data)
  const inPage = await measureRepeated((i) => store.point(ids[i % ids.length] ?? 0), noSettling, {
    cpu,
  })
  await store.close()
  const read = connectToWorker()
  if ((await read([mainOf(0)]))[0]?.id !== mainOf(0))
    throw new Error('the worker does not have the first record')
  const inWorker = await measureRepeated((i) => read([ids[i % ids.length] ?? 0]), noSettling, {
    cpu,
  })
  const batch = await measureRepeated(() => read(ids.slice(0, batchSize)), noSettling, { cpu })
  const inWorkerBatched = { clock: batch.clock / batchSize, cpu: batch.cpu / batchSize }
  return { inPage, inWorker, inWorkerBatched }
}

/** Does nothing, because a read leaves no work to wait for. */
const noSettling = () => {}

/** Returns a function that reads concepts from a new worker. */
function connectToWorker(): (ids: readonly Id[]) => Promise<ReadResponse['concepts']> {
  const worker = new Worker('/worker.js', { type: 'module' })
  const { port1: port, port2 } = new MessageChannel()
  worker.postMessage(undefined, [port2])
  const waiting = new Map<number, (concepts: ReadResponse['concepts']) => void>()
  port.onmessage = ({ data: { number, concepts } }: MessageEvent<ReadResponse>) => {
    waiting.get(number)?.(concepts)
    waiting.delete(number)
  }
  let last = 0
  return (ids) =>
    new Promise((done) => {
      const number = ++last
      waiting.set(number, done)
      port.postMessage({ number, ids } satisfies ReadRequest)
    })
}
