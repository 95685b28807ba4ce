import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  changeStreamRetry,
  clientLogRetry,
  refusedRetry,
  retryDelay,
  serverRetry,
} from '../src/wire/retry.ts'

describe('retryDelay', () => {
  test('doubles the delay of a server after each failure, up to 60 s', () => {
    fixRandom(0.5)
    for (const schedule of [serverRetry, changeStreamRetry]) {
      const delays = [0, 1, 2, 5, 6, 1_000].map((failures) => retryDelay(schedule, failures))
      expect(delays).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000])
    }
  })

  test('varies the delay by up to a quarter, up or down', () => {
    fixRandom(0)
    expect(retryDelay(serverRetry, 10)).toBe(45_000)
    expect(retryDelay(refusedRetry)).toBe(45_000)
    fixRandom(1)
    expect(retryDelay(serverRetry, 10)).toBe(75_000)
    expect(retryDelay(refusedRetry)).toBe(75_000)
  })

  test('adds half a second to the delay of client logs after each failure', () => {
    expect([0, 1, 2].map((failures) => retryDelay(clientLogRetry, failures))).toEqual([
      10_000, 10_500, 11_000,
    ])
  })

  test('is at least the Retry-After of the response', () => {
    fixRandom(1)
    expect(retryDelay(serverRetry, 0, 1_000)).toBe(1_250)
    expect(retryDelay(serverRetry, 0, 7_000)).toBe(7_000)
    expect(retryDelay(serverRetry, 10, 3_600_000)).toBe(3_600_000)
  })
})

function fixRandom(value: number): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(value)
  onTestFinished(() => random.mockRestore())
}
