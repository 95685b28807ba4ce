/** The cost of one operation: time by the clock and processor time, in milliseconds or microseconds. */
export interface Cost {
  readonly clock: number
  readonly cpu: number
}

/** Measures the processor time of a measurement. */
export interface ProcessorClock {
  /** Returns the processor time that all processes of the measurement have used so far, in ms. */
  cpu(): number | Promise<number>
}

/** The number of rounds per result. There are fewer if they take long. */
const rounds = 9
/** Time limits of all rounds together, in ms. The soft limit applies after three rounds, the hard limit always. */
const [softLimit, hardLimit] = [4_000, 12_000]

/**
 * Collects the costs of rounds. The result is the median of the clock time, and the mean of the processor time, which
 * has coarse counters.
 */
export class Costs {
  readonly #processor: ProcessorClock
  readonly #clocks: number[] = []
  #cpu = 0

  constructor(processor: ProcessorClock) {
    this.#processor = processor
  }

  /** Measures one round. The work of `after` counts for the processor time, but not for the clock time. */
  async measure<T>(work: () => T | Promise<T>, after?: (result: T) => unknown): Promise<T> {
    const before = await this.#processor.cpu()
    const start = performance.now()
    const result = await work()
    this.#clocks.push(performance.now() - start)
    await after?.(result)
    this.#cpu += (await this.#processor.cpu()) - before
    return result
  }

  /** The cost in milliseconds. */
  get cost(): Cost {
    return { clock: median(this.#clocks), cpu: this.#cpu / this.#clocks.length }
  }

  /** Reports whether there were enough rounds of this work and of `others`, which are measured alternately with it. */
  hasEnoughRounds(...others: readonly Costs[]): boolean {
    const rounds = this.#clocks.length
    return areEnoughRounds(
      [this, ...others].flatMap((costs) => costs.#clocks),
      rounds,
    )
  }
}

/** Reports whether `count` rounds that took these times together, in ms, are enough. */
export function areEnoughRounds(times: readonly number[], count = times.length): boolean {
  const total = times.reduce((a, b) => a + b, 0)
  return count >= rounds || (total > softLimit && count >= 3) || total > hardLimit
}

/** Measures work that is repeated after the JIT has compiled it. Returns the cost of one repetition in microseconds. */
export async function measureRepeated(
  work: (i: number) => unknown,
  settled: () => unknown,
  processor: ProcessorClock,
): Promise<Cost> {
  let i = 0
  const run = async (n: number) => {
    const start = performance.now()
    for (let k = 0; k < n; k++) {
      const result = work(i++)
      if (isPromise(result)) await result
    }
    return performance.now() - start
  }
  // A round takes about 50 ms.
  let n = 1
  while (n < 100_000 && (await run(n)) < 25) n *= 2
  await settled()
  const costs = new Costs(processor)
  do await costs.measure(() => run(n), settled)
  while (!costs.hasEnoughRounds())
  const { clock, cpu } = costs.cost
  return { clock: (clock * 1_000) / n, cpu: (cpu * 1_000) / n }
}

export const median = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN

/** Reports whether a value is a promise. Some libraries have their own promises. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value
