import { type Client, createClient } from '../../src/index.ts'
import { createLogger, type Logger } from '../../src/logger/index.ts'
import { startMonitor } from '../../src/monitor/index.ts'
import { createTracker } from '../../src/tracker/index.ts'

declare global {
  interface Window {
    watched: {
      weft: Client
      logger: Logger
      startMonitor: typeof startMonitor
      createLogger: typeof createLogger
      createTracker: typeof createTracker
    }
    /** Values that a test records in the page, such as the calls of its event handlers. */
    observed: unknown[]
    unwatch: () => void
  }
}

const params = new URLSearchParams(location.search)
const weft = createClient({
  url: params.get('weft') ?? '',
  token: params.get('token') ?? undefined,
  storage: 'memory',
})
const logger = createLogger(weft, { logApplication: true, logPackage: true, application: 'app' })
window.watched = { weft, logger, startMonitor, createLogger, createTracker }
window.observed = []
