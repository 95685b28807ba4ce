import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isMainThread, Worker } from 'node:worker_threads'
import { kept } from './kept.ts'
import { type Work, work } from './lane.ts'
import { print, table } from './table.ts'
import type { Outcome } from './trial.ts'

const help = `node web/client/faults/run.mjs [--seeds 100] [--from 1] [--chromium] [--lanes n] [--kept]
node web/client/faults/run.mjs --seed 7,8 [--chromium]

Lets users write while everything fails, and judges whether anything is lost or doubled. With --seed it plays some
seeds and prints all that happened; with --kept those that ever failed. --logs names a folder for what happened in those
that fail, or take more than two minutes. LIVE=1 prints it as it happens. Needs bin/weft, or WEFT names it.
`

/** Seconds after which a seed is worth a look, on a machine that does nothing else. */
const long = 120

/** Runs what the command line says. Returns 1 when anything was lost or doubled. */
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
  const form = values.chromium ? 'chromium' : 'node'
  const alone = (values.seed?.split(',') ?? []).map(Number)
  const row = Array.from({ length: Number(values.seeds) }, (_, i) => Number(values.from) + i)
  const todo = alone.length > 0 ? alone : values.kept ? kept[form] : row
  if (values.logs) mkdirSync(values.logs, { recursive: true })
  const lanes = Number(values.lanes ?? (values.chromium ? 3 : 16))
  const first = await played(form, todo, Math.min(lanes, todo.length), values.logs)
  const broken = first.filter((o) => o.broken !== undefined && o.wrong.length === 0)
  const once = broken.map(({ seed }) => seed)
  if (once.length > 0) print(`Once more, alone: ${once.join(', ')}\n`)
  const again = await played(form, once, Math.min(1, once.length), values.logs)
  const outcomes = [...first.filter((o) => !broken.includes(o)), ...again.map(counted)]
  if (alone.length > 0) print(`${outcomes.flatMap((o) => o.log).join('\n')}\n\n`)
  print(table(outcomes))
  return outcomes.some(({ wrong }) => wrong.length > 0) ? 1 : 0
}

/** A trial that breaks alone as well is at fault. */
const counted = (o: Outcome): Outcome =>
  o.broken === undefined ? o : { ...o, wrong: [...o.wrong, o.broken] }

/** Plays seeds in so many lanes: most of a trial is waiting. */
async function played(
  form: Work['form'],
  seeds: number[],
  lanes: number,
  logs?: string,
): Promise<Outcome[]> {
  const { WEFT: binary = join(import.meta.dirname, '../../../bin/weft') } = process.env
  const outcomes: Outcome[] = []
  const todo = [...seeds]
  const lane = async () => {
    const workerData: Work = { form, binary }
    const worker = new Worker(new URL(import.meta.url), { workerData })
    const next = async (seed: number | undefined): Promise<Outcome> => {
      worker.postMessage(seed)
      const [outcome] = await once(worker, 'message')
      return outcome
    }
    while (todo.length > 0) {
      const outcome = await next(todo.shift())
      outcomes.push(outcome)
      process.stderr.write(
        `${outcomes.length}/${seeds.length} seed ${outcome.seed} ${outcome.seconds.toFixed(1)} s\n`,
      )
      const { seed, log } = outcome
      const { wrong } = counted(outcome)
      if (wrong.length > 0) print(failure(outcome))
      if (logs && (wrong.length > 0 || outcome.seconds > long))
        writeFileSync(join(logs, `${form}-${seed}.log`), [...log, ...wrong].join('\n'))
    }
    worker.postMessage(undefined)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return outcomes
}

const failure = ({ form, seed, wrong, broken = '' }: Outcome): string =>
  `seed ${seed}: ${[...wrong, broken].join('\n  ')}
  again: node web/client/faults/run.mjs --seed ${seed}${form === 'chromium' ? ' --chromium' : ''}\n`

if (!isMainThread) await work()
