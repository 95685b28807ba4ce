import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isMainThread, Worker } from 'node:worker_threads'
import { type LaneData, runLane } from './lane.ts'
import { regressionSeeds } from './regression-seeds.ts'
import { formatTable, print } from './table.ts'
import type { Outcome } from './trial.ts'

/*
 * faults/: checks that sync loses and doubles no write, whatever fails.
 *
 * A seed determines everything that is random in a trial. The parts of a trial:
 *
 *   main ─▶ lane (a thread) ─▶ trial ─▶ scenario: operations of users, accidents of tabs
 *                                │        └─▶ tabs of a platform (Node or Chromium), each with an agent
 *                                ├─▶ gateway: faults of requests, in front of a real server
 *                                ├─▶ model: the writes, as tabs reported them to users
 *                                └─▶ drain, then judge: compares the model with the server and the tabs
 */

const help = `node web/client/faults/run.mjs [--seeds 100] [--from 1] [--chromium] [--lanes n] [--kept]
node web/client/faults/run.mjs --seed 7,8 [--chromium]

Lets users write while everything fails, and checks that no write is lost or doubled. --seed runs some seeds and prints
everything that happened; --kept runs the seeds that once failed. --logs names a folder for the logs of seeds that fail or
take more than two minutes. LIVE=1 prints the log as it grows. Requires bin/weft, or its path in WEFT.
`

/**
 * The log of a seed is written if the seed takes longer than this, in seconds. On an idle machine a seed takes less.
 */
const longSeed = 120

interface RunOptions {
  readonly platform: LaneData['platform']
  readonly lanes: number
  /** Folder for logs. */
  readonly logs: string | undefined
}

/**
 * Runs the command line. Returns the exit status: 1 if a write was lost or doubled, or if a trial did not end even when it ran
 * alone.
 */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string', default: '100' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      lanes: { type: 'string' },
      chromium: { type: 'boolean', default: false },
      logs: { type: 'string' },
      kept: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    print(help)
    return 0
  }
  const { logs } = values
  const platform = values.chromium ? 'chromium' : 'node'
  const single = (values.seed?.split(',') ?? []).map(Number)
  const range = Array.from({ length: Number(values.seeds) }, (_, i) => Number(values.from) + i)
  const seeds = single.length > 0 ? single : values.kept ? regressionSeeds[platform] : range
  if (logs) mkdirSync(logs, { recursive: true })
  const lanes = Number(values.lanes ?? (values.chromium ? 3 : 16))
  const firstRun = await runSeeds(seeds, { platform, lanes, logs })
  const broken = firstRun.filter((o) => o.broken !== undefined && o.wrong.length === 0)
  const brokenSeeds = broken.map(({ seed }) => seed)
  if (brokenSeeds.length > 0) print(`Running again, one at a time: ${brokenSeeds.join(', ')}\n`)
  const secondRun = await runSeeds(brokenSeeds, { platform, lanes: 1, logs })
  const outcomes = [...firstRun.filter((o) => !broken.includes(o)), ...secondRun.map(withBroken)]
  if (single.length > 0) print(`${outcomes.flatMap((o) => o.log).join('\n')}\n\n`)
  print(formatTable(outcomes))
  return outcomes.some(({ wrong }) => wrong.length > 0) ? 1 : 0
}

/** Returns an outcome in which a trial that did not end counts as wrong. */
const withBroken = (o: Outcome): Outcome =>
  o.broken === undefined ? o : { ...o, wrong: [...o.wrong, o.broken] }

/** Runs seeds in several lanes in parallel, because a trial waits most of the time. */
async function runSeeds(seeds: readonly number[], options: RunOptions): Promise<Outcome[]> {
  const { WEFT: binary = join(import.meta.dirname, '../../../bin/weft') } = process.env
  const { platform, logs } = options
  const outcomes: Outcome[] = []
  const remaining = [...seeds]
  const lane = async () => {
    const workerData: LaneData = { platform, binary }
    const worker = new Worker(new URL(import.meta.url), { workerData })
    while (remaining.length > 0) {
      worker.postMessage(remaining.shift())
      const [outcome]: Outcome[] = await once(worker, 'message')
      if (!outcome) break
      outcomes.push(outcome)
      const time = `${outcome.seconds.toFixed(1)} s`
      process.stderr.write(`${outcomes.length}/${seeds.length} seed ${outcome.seed} ${time}\n`)
      report(outcome, logs)
    }
    worker.postMessage(undefined)
  }
  const lanes = Math.min(options.lanes, seeds.length)
  await Promise.all(Array.from({ length: lanes }, lane))
  return outcomes
}

function report(outcome: Outcome, logs: string | undefined): void {
  const { platform, seed, log, seconds } = outcome
  const { wrong } = withBroken(outcome)
  if (wrong.length > 0) print(describeFailure(outcome))
  if (logs && (wrong.length > 0 || seconds > longSeed))
    writeFileSync(join(logs, `${platform}-${seed}.log`), [...log, ...wrong].join('\n'))
}

const describeFailure = ({ platform, seed, wrong, broken = '' }: Outcome): string =>
  `seed ${seed}: ${[...wrong, broken].join('\n  ')}
  reproduce with: node web/client/faults/run.mjs --seed ${seed}${platform === 'chromium' ? ' --chromium' : ''}\n`

if (!isMainThread) await runLane()
