import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { looseClock } from '../faults/clock.ts'
import { createLogger } from '../src/logger/index.ts'
import { createTracker } from '../src/tracker/index.ts'
import { anomalyCheck } from '../src/validate/index.ts'
import { alone, open, startAnswering, until } from './open.ts'
import { startServer, tokenOf } from './server.ts'

const day = 24 * 3_600_000
const moveClock = looseClock()

beforeEach(() => moveClock(0))

test('what waits in a log is sent when it is time, also where the clock is put back', async () => {
  let posts = 0
  const url = await startAnswering(() => ++posts)
  const logger = createLogger(alone(), { url, logPackage: true, check: 20, interval: 50 })
  onTestFinished(() => logger.close())
  moveClock(-day)
  logger.log('INFO', 'a')
  await until(() => posts > 0)
})

test('a log server that was left alone is asked again, also where the clock is put back', async () => {
  const logger = createLogger(alone(), { logPackage: true, check: 20, interval: 20, pause: 50 })
  onTestFinished(() => logger.close())
  logger.log('ERROR', 'a')
  await logger.send()
  moveClock(-day)
  let probes = 0
  const real = globalThis.fetch
  onTestFinished(() => {
    globalThis.fetch = real
  })
  globalThis.fetch = (...request) => {
    probes++
    return real(...request)
  }
  await until(() => probes > 0)
})

test('what was counted is told when it is time, also where the clock is put back', async () => {
  const url = await startServer('--attempts', '50')
  const weft = open(url, await tokenOf(url, 'ann'))
  const tracker = createTracker(weft, { interval: 50, check: 20 })
  onTestFinished(tracker.start())
  moveClock(-day)
  tracker.countConcept(5)
  await until(() => tracker.getTop(1).concepts.length === 0)
})

test('what is usual is asked again after a while, also where the clock is put back', async () => {
  let asked = 0
  const url = await startAnswering(() => {
    asked++
    return { data: {} }
  })
  const anomalies = anomalyCheck(open(url), 20)
  await anomalies.check('name', 'Ann')
  const before = asked
  moveClock(-day)
  await new Promise((later) => setTimeout(later, 50))
  await anomalies.check('name', 'Ann')
  expect(asked).toBeGreaterThan(before)
})
