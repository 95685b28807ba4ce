import { createClient } from '../src/client.ts'
import { Graph } from '../src/local/graph.ts'
import { RecordCache } from '../src/local/record-cache.ts'
import { count, fieldsOf, mainOf, makeData } from './data.ts'
import { Plain } from './plain.ts'
import { comparisons } from './queries.ts'
import { createTypedReads } from './typed.ts'

/*
 * Compares a graph of 10,000 records with plain Maps, alternately in one process. It is meant for a quick check during
 * development; `beside.ts` measures each library in its own process.
 */

const rounds = 9
/**
 * Number of rounds that are not counted, by the unit of the result. Short work is measured only after the JIT has
 * compiled it.
 */
const warmUp = { ms: 2, µs: 12 }
const data = makeData()
const graph = loadGraph()
const plain = loadPlain()
const ids = Array.from({ length: 100_000 }, (_, i) => 100_000 + ((i * 7_919) % 100_000))
const values = Array.from({ length: 20_000 }, (_, i) => `title ${(i * 7_919) % count}`)
/** The sum of all values read, printed so that the engine cannot skip reads. */
let sink = 0

const rows: { name: string; unit: string; ours: number[]; baseline: number[] }[] = []
// No server listens at this address, so writes remain pending.
const weft = createClient({ url: 'http://127.0.0.1:9', storage: 'memory' })
let notifications = 0

export async function main(): Promise<number> {
  await measure('load', 'ms', 1, loadGraph, loadPlain)
  await measure('load and build the indexes used below', 'ms', 1, loadWithIndexes, loadPlain)
  await measure(
    'point read',
    'µs',
    ids.length,
    () => {
      for (const id of ids) sink += graph.concept(id)?.owner ?? 0
    },
    () => {
      for (const id of ids) sink += plain.concepts.get(id)?.owner ?? 0
    },
  )
  await measure(
    'look-up by (type, value)',
    'µs',
    values.length,
    () => {
      for (const value of values) sink += graph.find('the_title', value)?.owner ?? 0
    },
    () => {
      for (const value of values) sink += plain.find('the_title', value)?.owner ?? 0
    },
  )
  await measure('build 10,000 nested records, cold', 'ms', 1, buildOurs, () => {
    for (let n = 0; n < count; n++) sink += Object.keys(plain.read(mainOf(n))).length
  })

  await weft.ready
  const created = await createAll()
  for (const id of created.ours) weft.watch(id, () => weft.record(id) && notifications++)
  for (const id of created.baseline)
    plain.watchers.set(id, new Set([() => plain.read(id) && notifications++]))
  let step = 0
  await measure(
    'one update that notifies one of 1,000 subscribers',
    'µs',
    500,
    () =>
      repeat(500, (n) =>
        weft.update(created.ours[(n * 7) % 1_000] as number, { price: `p${step++}` }),
      ),
    () =>
      repeat(500, (n) =>
        plain.update(created.baseline[(n * 7) % 1_000] as number, 'price', `p${step++}`),
      ),
  )
  await measure(
    'create one record offline',
    'µs',
    500,
    () => repeat(500, () => weft.create('the_note', fieldsOf(1_000_000 + step++))),
    () => repeat(500, () => plain.create('the_note', fieldsOf(1_000_000 + step++))),
  )
  weft.close()

  const reads = await createTypedReads()
  await measure(
    'read 1,000 rows of a schema, beside rows without one',
    'ms',
    1,
    async () => {
      sink += await reads.typed()
    },
    async () => {
      sink += await reads.untyped()
    },
  )
  reads.close()

  for (const { name, ours, baseline } of comparisons()) {
    const tenTimes = (work: () => number) => () => {
      for (let i = 0; i < 10; i++) sink += work()
    }
    await measure(`filter of 100,000: ${name}`, 'µs', 10, tenTimes(ours), tenTimes(baseline))
  }
  print()
  return 0
}

function loadGraph(): Graph {
  const graph = new Graph()
  graph.add(data)
  return graph
}

function loadWithIndexes(): void {
  const graph = loadGraph()
  sink += graph.out(mainOf(1)).length + (graph.type('the_note') ?? 0)
}

function loadPlain(): Plain {
  const plain = new Plain()
  for (const c of data.concepts) plain.add(c)
  for (const c of data.connections) plain.connect(c)
  return plain
}

function buildOurs(): void {
  const records = new RecordCache(graph)
  for (let n = 0; n < count; n++) sink += Object.keys(records.get(mainOf(n)) ?? {}).length
}

async function createAll() {
  const ours: number[] = []
  const baseline: number[] = []
  for (let n = 0; n < 1_000; n++) {
    ours.push(weft.create('the_note', fieldsOf(2_000_000 + n)).id)
    baseline.push(plain.create('the_note', fieldsOf(2_000_000 + n)))
  }
  await new Promise((done) => setTimeout(done, 100))
  return { ours, baseline }
}

/** Runs `work` n times, and waits each time until the subscribers have been notified. */
async function repeat(n: number, work: (n: number) => unknown): Promise<void> {
  for (let i = 0; i < n; i++) {
    work(i)
    await undefined
  }
}

async function measure(
  name: string,
  unit: 'ms' | 'µs',
  times: number,
  ours: () => unknown,
  baseline: () => unknown,
): Promise<void> {
  const row = { name, unit, ours: [] as number[], baseline: [] as number[] }
  for (let round = -warmUp[unit]; round < rounds; round++) {
    for (const [list, work] of [
      [row.ours, ours],
      [row.baseline, baseline],
    ] as const) {
      const before = process.cpuUsage()
      const start = performance.now()
      await work()
      const { user, system } = process.cpuUsage(before)
      // Long work is measured in processor time, which other processes affect less. Short work is measured by the
      // clock.
      const spent = unit === 'ms' ? (user + system) / 1_000 : (performance.now() - start) * 1_000
      if (round >= 0) list.push(spent / times)
    }
  }
  rows.push(row)
}

function print(): void {
  const lines = rows.map(({ name, unit, ours, baseline }) => {
    const [a, b] = [median(ours), median(baseline)]
    return [
      name,
      `${format(a)} ${unit}`,
      `${format(b)} ${unit}`,
      `${(a / b).toFixed(a < b ? 2 : 1)}×`,
    ]
  })
  const table = [['10,000 records', 'weft', 'plain Maps', 'ratio'], ...lines]
  const widths = [0, 1, 2, 3].map((i) => Math.max(...table.map((row) => row[i]?.length ?? 0)))
  for (const row of table) {
    process.stdout.write(`${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join('  ')}\n`)
  }
  process.stdout.write(
    `medians of ${rounds} rounds after ${warmUp.ms} (ms) or ${warmUp.µs} (µs) to warm up, Node ${process.versions.node}; ` +
      `${notifications} notifications, checksum ${sink}\n`,
  )
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0
}

function format(n: number): string {
  return n.toPrecision(3)
}
