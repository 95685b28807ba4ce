import { createClient } from '../src/client.ts'
import { Graph } from '../src/local/graph.ts'
import { Records } from '../src/local/records.ts'
import { count, fieldsOf, mainOf, makeData } from './data.ts'
import { Plain } from './plain.ts'
import { comparisons } from './queries.ts'

/** What a graph of 10,000 records costs beside bare Maps, both in one process and in turns. */
const rounds = 9
/** Rounds before those: short work is measured once the engine has compiled it, on both sides. */
const warmUp = { ms: 2, µs: 12 }
const data = makeData()
const graph = loadGraph()
const plain = loadPlain()
const random = Array.from({ length: 100_000 }, (_, i) => 100_000 + ((i * 7_919) % 100_000))
const values = Array.from({ length: 20_000 }, (_, i) => `title ${(i * 7_919) % count}`)
let sink = 0

const rows: { name: string; unit: string; ours: number[]; limit: number[] }[] = []
// Nobody listens at this address: what is written waits.
const weft = createClient({ url: 'http://127.0.0.1:9', storage: 'memory' })
let told = 0

export async function main(): Promise<number> {
  await measure('load', 'ms', 1, loadGraph, loadPlain)
  await measure('load and build the indexes used below', 'ms', 1, loadWhole, loadPlain)
  await measure(
    'point read',
    'µs',
    random.length,
    () => {
      for (const id of random) sink += graph.concept(id)?.owner ?? 0
    },
    () => {
      for (const id of random) sink += plain.concepts.get(id)?.owner ?? 0
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
  const made = await createAll()
  for (const id of made.ours) weft.watch(id, () => weft.record(id) && told++)
  for (const id of made.limit) plain.watchers.set(id, new Set([() => plain.read(id) && told++]))
  let step = 0
  await measure(
    'one update, told to its one subscriber of 1,000',
    'µs',
    500,
    () =>
      each(500, (n) => weft.update(made.ours[(n * 7) % 1_000] as number, { price: `p${step++}` })),
    () =>
      each(500, (n) => plain.update(made.limit[(n * 7) % 1_000] as number, 'price', `p${step++}`)),
  )
  await measure(
    'create one record offline',
    'µs',
    500,
    () => each(500, () => weft.create('the_note', fieldsOf(1_000_000 + step++))),
    () => each(500, () => plain.create('the_note', fieldsOf(1_000_000 + step++))),
  )
  weft.close()

  for (const { name, ours, limit } of comparisons()) {
    const times = (work: () => number) => () => {
      for (let i = 0; i < 10; i++) sink += work()
    }
    await measure(`filter of 100,000: ${name}`, 'µs', 10, times(ours), times(limit))
  }
  print()
  return 0
}

function loadGraph(): Graph {
  const graph = new Graph()
  graph.add(data)
  return graph
}

function loadWhole(): void {
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
  const records = new Records(graph)
  for (let n = 0; n < count; n++) sink += Object.keys(records.get(mainOf(n)) ?? {}).length
}

async function createAll() {
  const ours: number[] = []
  const limit: number[] = []
  for (let n = 0; n < 1_000; n++) {
    ours.push(weft.create('the_note', fieldsOf(2_000_000 + n)).id)
    limit.push(plain.create('the_note', fieldsOf(2_000_000 + n)))
  }
  await new Promise((done) => setTimeout(done, 100))
  return { ours, limit }
}

/** Does something n times, waiting each time until the subscribers were told. */
async function each(n: number, work: (n: number) => unknown): Promise<void> {
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
  limit: () => unknown,
): Promise<void> {
  const row = { name, unit, ours: [] as number[], limit: [] as number[] }
  for (let round = -warmUp[unit]; round < rounds; round++) {
    for (const [list, work] of [
      [row.ours, ours],
      [row.limit, limit],
    ] as const) {
      const before = process.cpuUsage()
      const start = performance.now()
      await work()
      const { user, system } = process.cpuUsage(before)
      // Long work is counted in CPU time, which neighbours do not disturb; short work by the clock.
      const spent = unit === 'ms' ? (user + system) / 1_000 : (performance.now() - start) * 1_000
      if (round >= 0) list.push(spent / times)
    }
  }
  rows.push(row)
}

function print(): void {
  const lines = rows.map(({ name, unit, ours, limit }) => {
    const [a, b] = [median(ours), median(limit)]
    return [name, `${shown(a)} ${unit}`, `${shown(b)} ${unit}`, `${(a / b).toFixed(1)}×`]
  })
  const table = [['10,000 records', 'weft', 'plain Maps', 'ratio'], ...lines]
  const widths = [0, 1, 2, 3].map((i) => Math.max(...table.map((row) => row[i]?.length ?? 0)))
  for (const row of table) {
    process.stdout.write(`${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join('  ')}\n`)
  }
  process.stdout.write(
    `medians of ${rounds} rounds after ${warmUp.ms} (ms) or ${warmUp.µs} (µs), Node ${process.versions.node}; told ${told}, ${sink}\n`,
  )
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0
}

function shown(n: number): string {
  return n.toPrecision(3)
}
