import { afterEach, expect, onTestFinished, test } from 'vitest'
import { replaceClock } from '../faults/clock.ts'
import { createLogger } from '../src/logger/index.ts'
import { createTracker } from '../src/tracker/index.ts'
import { createAnomalyCheck } from '../src/validate/index.ts'
import { offlineClient, open, startJsonServer, until } from './open.ts'
import { startServer, tokenOf } from './server.ts'

const day = 24 * 3_600_000
const moveClock = replaceClock()

afterEach(() => moveClock(0))

test('a due log is sent even if the clock was set back', async () => {
  let posts = 0
  const url = await startJsonServer(() => ++posts)
  const logger = createLogger(offlineClient(), {
    url,
    logPackage: true,
    checkInterval: 20,
    sendInterval: 50,
  })
  onTestFinished(() => logger.close())
  moveClock(-day)
  logger.log('INFO', 'a')
  await until(() => posts > 0)
})

test('a log server is retried even if the clock was set back', async () => {
  const logger = createLogger(offlineClient(), {
    logPackage: true,
    checkInterval: 20,
    sendInterval: 20,
    retryDelay: 50,
  })
  onTestFinished(() => logger.close())
  logger.log('ERROR', 'a')
  await logger.flush()
  moveClock(-day)
  let probes = 0
  const originalFetch = globalThis.fetch
  onTestFinished(() => {
    globalThis.fetch = originalFetch
  })
  globalThis.fetch = (...request) => {
    probes++
    return originalFetch(...request)
  }
  await until(() => probes > 0)
})

test('due usage counts are sent even if the clock was set back', async () => {
  const url = await startServer('--attempts', '50')
  const weft = open(url, await tokenOf(url, 'ann'))
  const tracker = createTracker(weft, { sendInterval: 50, checkInterval: 20 })
  onTestFinished(tracker.start())
  moveClock(-day)
  tracker.countConcept(5)
  await until(() => tracker.getTop(1).concepts.length === 0)
})

test('expired statistics are reloaded even if the clock was set back', async () => {
  let requests = 0
  const url = await startJsonServer(() => {
    requests++
    return { data: {} }
  })
  const anomalies = createAnomalyCheck(open(url), 20)
  await anomalies.check('name', 'Ann')
  const before = requests
  moveClock(-day)
  await new Promise((resolve) => setTimeout(resolve, 50))
  await anomalies.check('name', 'Ann')
  expect(requests).toBeGreaterThan(before)
})
