import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import { dropExcess, type Fields, type Level, type LogQueue, severity } from './log-queue.ts'
import type { LogSender } from './log-sender.ts'
import { redactValue } from './redact.ts'

/*
 * Two logs of a page, collected by its server: one of the client library, one of the application.
 *
 *   log, logApplication ──▶ redact.ts ──▶ LogQueue ──▶ log-sender.ts (loaded on demand) ──▶ POST /api/logger
 *
 * The queues are sent every minute, when the page is hidden or left, and immediately after an entry of the level `ERROR`,
 * `ROUTE` or `USER_EVENT`. An entry costs its redaction and formatting; a disabled log costs nothing.
 */

export interface LoggerOptions {
  /** Enables the log of the client library. Default: false. */
  readonly logPackage?: boolean
  /** Enables the log of the application. Default: false. */
  readonly logApplication?: boolean
  /** Minimum level of entries. Default: `INFO`. */
  readonly level?: Level
  /** Name of the application in the logs. Default: the host of the page. */
  readonly application?: string
  /** Origin of the server that collects the logs. It receives the token. Default: the client's server. */
  readonly url?: string
  /** Session number. Default: that of the client. */
  readonly session?: number
  /** Maximum number of queued entries in each log; the oldest are dropped first. Default: 1,000. */
  readonly maxEntries?: number
  /** Interval at which the logger checks whether the logs must be sent, in milliseconds. Default: 30,000. */
  readonly checkInterval?: number
  /** Minimum time between two scheduled requests, in milliseconds. Default: 60,000. */
  readonly sendInterval?: number
  /** Delay of the next request after a failed one, in milliseconds. Each further failure adds 500. Default: 10,000. */
  readonly retryDelay?: number
}

/** Two logs of a page. Secrets are removed before an entry is queued. */
export interface Logger {
  /** Minimum level of entries. May be changed at any time. */
  level: Level
  readonly url: string
  /** Reports whether the application's log is enabled. */
  readonly logsApplication: boolean
  /** Adds an entry to the log of the client library. */
  log(level: Level, message: string, fields?: Fields): void
  /** Adds an entry to the log of the application. */
  logApplication(level: Level, message: string, data?: Fields): void
  /** Adds a user action, at the level `USER_EVENT`, to the log of the application. */
  logEvent(name: string, description: string): void
  /** Runs `work`. When it returns or its promise settles, logs the given name and parameters and the duration. */
  logCall<T>(functionName: string, functionParameters: readonly unknown[], work: () => T): T
  /** Sends all queued entries now. */
  flush(): Promise<void>
  /** Sends the queued entries. Later entries are ignored. */
  close(): Promise<void>
}

/** Creates the logger of a client. */
export function createLogger(client: Client, options: LoggerOptions = {}): Logger {
  const { logPackage = false, logApplication: logsApplication = false } = options
  const { http, graph } = internalsOf(client)
  const url = options.url?.replace(/\/+$/, '') ?? client.url
  const session = () => options.session ?? Number(http.session)
  const [packageLog, applicationLog] = createQueues(options, session)
  const queues = [packageLog, applicationLog]
  const loadSender = async () => {
    const { LogSender } = await import('./log-sender.ts')
    const { retryDelay } = options
    return new LogSender(queues, { url, http, session, user: () => graph.user, retryDelay })
  }
  const scheduler = new LogScheduler(queues, loadSender, options)
  if (logPackage || logsApplication) scheduler.start()

  function add(queue: LogQueue, level: Level, message: string, fields?: Fields): void {
    if (scheduler.isClosed || severity[level] < severity[logger.level]) return
    queue.entries.push({ text: queue.format(level, message, fields), user: graph.user })
    dropExcess(queue)
    if (severity[level] >= severity.ERROR) scheduler.flushSoon()
  }

  const logger: Logger = {
    level: options.level ?? 'INFO',
    url,
    logsApplication,
    log: (level, message, fields) => {
      if (logPackage) add(packageLog, level, message, fields)
    },
    logApplication: (level, message, data) => {
      if (logsApplication) add(applicationLog, level, message, data)
    },
    logEvent: (name, description) =>
      logger.logApplication('USER_EVENT', name, { url: globalThis.location?.href, description }),
    logCall: (functionName, functionParameters, work) =>
      measureCall(work, (call) =>
        logger.log(call.errorMessage === undefined ? 'INFO' : 'ERROR', 'function called', {
          functionName,
          functionParameters,
          ...call,
          applicationId: http.randomizer,
          serviceWorker: false,
        }),
      ),
    flush: () => scheduler.flush(),
    close: () => scheduler.close(),
  }
  return logger
}

/** Creates the log of the client library and that of the application. */
function createQueues(options: LoggerOptions, session: () => number): [LogQueue, LogQueue] {
  const requestFrom = options.application ?? globalThis.location?.host ?? ''
  const origin = () => ({ requestFrom, sessionId: session() })
  const empty = () => ({ maxEntries: options.maxEntries ?? 1_000, entries: [], dropped: 0 })
  return [
    {
      ...empty(),
      type: 'mftsccs',
      batchSize: 300,
      format: (level, message, fields) => formatEntry(level, message, { ...origin(), ...fields }),
    },
    {
      ...empty(),
      type: 'app',
      batchSize: 50,
      format: (level, message, data) =>
        formatEntry(level, message, { data: { ...origin(), ...data } }),
    },
  ]
}

/** Decides when the queues are sent. Loads the sender when the first log starts. */
class LogScheduler {
  readonly #queues: readonly LogQueue[]
  readonly #loadSender: () => Promise<LogSender>
  readonly #checkInterval: number
  readonly #sendInterval: number
  readonly #stop = new AbortController()
  #sender: LogSender | undefined
  #dueAt: number
  /** True while the page is being left: then only requests that outlive the page can be sent. */
  #isLeaving = false
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(
    queues: readonly LogQueue[],
    loadSender: () => Promise<LogSender>,
    { checkInterval = 30_000, sendInterval = 60_000 }: LoggerOptions,
  ) {
    this.#queues = queues
    this.#loadSender = loadSender
    this.#checkInterval = checkInterval
    this.#sendInterval = sendInterval
    this.#dueAt = performance.now() + sendInterval
  }

  get isClosed(): boolean {
    return this.#stop.signal.aborted
  }

  start(): void {
    const { signal } = this.#stop
    this.#timer = setInterval(() => {
      if (performance.now() >= this.#dueAt && this.#hasEntries()) void this.flush()
    }, this.#checkInterval)
    const onPageTransition = ({ type }: Event) => {
      this.#isLeaving = type === 'pagehide'
      if (this.#isLeaving) this.#sender?.sendBeforeUnload()
    }
    for (const event of ['pagehide', 'pageshow'])
      globalThis.addEventListener?.(event, onPageTransition, { signal })
    // Mobile browsers may end a hidden page without further events.
    const onVisibilityChange = () => document.hidden && !this.#isLeaving && void this.flush()
    globalThis.document?.addEventListener('visibilitychange', onVisibilityChange, { signal })
    // The sender is loaded now, because it cannot be loaded while the page is being left.
    void this.#getSender()
  }

  async flush(): Promise<void> {
    await (await this.#getSender())?.flush()
    if (!this.#hasEntries()) this.#dueAt = performance.now() + this.#sendInterval
  }

  /** Sends the queues immediately or, while the page is being left, together with the other entries of this task. */
  flushSoon(): void {
    if (this.#isLeaving) queueMicrotask(() => this.#sender?.sendBeforeUnload())
    else void this.flush()
  }

  close(): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#timer)
    return this.flush()
  }

  #hasEntries(): boolean {
    return this.#queues.some(({ entries }) => entries.length > 0)
  }

  /** Loads the sender. Resolves with undefined if its code cannot be loaded; the next call tries again. */
  async #getSender(): Promise<LogSender | undefined> {
    if (this.#sender) return this.#sender
    const loaded = await this.#loadSender().catch(() => undefined)
    this.#sender ??= loaded
    return this.#sender
  }
}

/** Formats an entry. Its fixed members come first, because redaction clips the end of long entries. */
function formatEntry(level: Level, message: string, fields: Fields): string {
  const fixed = { timestamp: new Date().toISOString(), level, message }
  return JSON.stringify(redactValue({ ...fixed, ...fields, ...fixed }))
}

interface CallReport {
  readonly startTime: number
  readonly responseTime: string
  readonly errorMessage: string | undefined
}

/**
 * Runs `work` and reports its duration and error. If `work` returns a promise, returns that same promise, so that a
 * rejection without a handler is still reported as unhandled.
 */
function measureCall<T>(work: () => T, report: (call: CallReport) => void): T {
  const startTime = Date.now()
  const startedAt = performance.now()
  const finish = (error?: unknown) =>
    report({
      startTime,
      responseTime: `${Math.round(performance.now() - startedAt)} ms`,
      errorMessage: error === undefined ? undefined : `${error}`,
    })
  const onError = (error: unknown): never => {
    finish(error)
    throw error
  }
  const onSuccess = <R>(result: R): R => {
    finish()
    return result
  }
  let result: T
  try {
    result = work()
  } catch (e) {
    return onError(e)
  }
  return result instanceof Promise ? (result.then(onSuccess, onError) as T) : onSuccess(result)
}
