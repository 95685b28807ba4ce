import type { Around } from './measure.ts'

/** What something took, each time it was done: by the clock, and of processors. Milliseconds or microseconds. */
export interface Cost {
  readonly clock: number
  readonly cpu: number
}

/** Each number is of so many rounds, fewer where they take long. */
const rounds = 9
/** Milliseconds that rounds may take, if that is enough for three, and if it is not. */
const [budget, most] = [4_000, 12_000]

/** What rounds of one thing cost: the median by the clock, and the mean of processors, whose counters are coarse. */
export class Costs {
  readonly #around: Pick<Around, 'cpu'>
  readonly #clocks: number[] = []
  #cpu = 0

  constructor(around: Pick<Around, 'cpu'>) {
    this.#around = around
  }

  /** Does it once. What goes on after it is of the processors' time, and not of the clock's. */
  async of<T>(work: () => T | Promise<T>, after?: (made: T) => unknown): Promise<T> {
    const before = await this.#around.cpu()
    const start = performance.now()
    const made = await work()
    this.#clocks.push(performance.now() - start)
    await after?.(made)
    this.#cpu += (await this.#around.cpu()) - before
    return made
  }

  /** In milliseconds. */
  get cost(): Cost {
    return { clock: median(this.#clocks), cpu: this.#cpu / this.#clocks.length }
  }

  /** Says whether there were rounds enough of this, and of others that took turns with it. */
  enough(...others: readonly Costs[]): boolean {
    const rounds = this.#clocks.length
    return enough(
      [this, ...others].flatMap((costs) => costs.#clocks),
      rounds,
    )
  }
}

/** Says whether what rounds took, in milliseconds, is enough of them. */
export function enough(times: readonly number[], done = times.length): boolean {
  const taken = times.reduce((a, b) => a + b, 0)
  return done >= rounds || (taken > budget && done >= 3) || taken > most
}

/** Microseconds that something done again and again takes, once the engine knows it. */
export async function timesOf(
  work: (i: number) => unknown,
  settled: () => unknown,
  around: Pick<Around, 'cpu'>,
): Promise<Cost> {
  let i = 0
  const run = async (n: number) => {
    const start = performance.now()
    for (let k = 0; k < n; k++) {
      const done = work(i++)
      if (isComing(done)) await done
    }
    return performance.now() - start
  }
  // So often that a round takes 50 ms.
  let n = 1
  while (n < 100_000 && (await run(n)) < 25) n *= 2
  await settled()
  const costs = new Costs(around)
  do await costs.of(() => run(n), settled)
  while (!costs.enough())
  const { clock, cpu } = costs.cost
  return { clock: (clock * 1_000) / n, cpu: (cpu * 1_000) / n }
}

export const median = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN

/** Says whether it is a promise; some libraries have one of their own. */
export const isComing = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof answer === 'object' && answer !== null && 'then' in answer
