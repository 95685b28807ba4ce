import type { Client } from '../api.ts'
import { insideOf } from '../inside.ts'
import { gravity, type Level } from './level.ts'
import { type Log, trim } from './log.ts'
import { plain } from './redact.ts'
import type { Sender } from './sender.ts'

type Fields = Readonly<Record<string, unknown>>

export interface LoggerOptions {
  /** Keeps what the client library does. Off unless said otherwise. */
  readonly logPackage?: boolean
  /** Keeps what the application does. Off unless said otherwise. */
  readonly logApplication?: boolean
  /** Nothing less grave is kept: `INFO`. */
  readonly level?: Level
  /** As the application calls itself in logs. The host of the page. */
  readonly application?: string
  /** Origin of the server that keeps logs, which is told the token. That of the client. */
  readonly url?: string
  /** Number of the visit. What the client was given, or 998. */
  readonly session?: number
  /** The most entries that wait in each log, 1,000: then the oldest go. */
  readonly most?: number
  /** How often to look whether it is time to send, in milliseconds: 30,000. */
  readonly check?: number
  /** How long to gather before that, in milliseconds: 60,000. */
  readonly interval?: number
  /** How long to leave a server alone that took nothing, in milliseconds: 10,000, and 500 more each time. */
  readonly pause?: number
}

/**
 * Two logs of a page, for a server to keep. Entries are sent together when it is time, when the page is left, and
 * at once with one of the level `ERROR`, `ROUTE` or `USER_EVENT`. Secrets are taken out before an entry waits.
 */
export interface Logger {
  /** May be changed. */
  level: Level
  readonly url: string
  /** Says whether the application's log is kept. */
  readonly logsApplication: boolean
  /** An entry of the client library's log. */
  log(level: Level, message: string, fields?: Fields): void
  /** An entry of the application's log. */
  logApplication(level: Level, message: string, data?: Fields): void
  /** Something somebody did in the application. */
  logEvent(name: string, description: string): void
  /** Works, and logs the function, its parameters and how long it took: until it returns, or its promise settles. */
  logCall<T>(functionName: string, functionParameters: readonly unknown[], work: () => T): T
  /** Sends everything now. */
  send(): Promise<void>
  /** Sends what waits and keeps nothing more. */
  close(): Promise<void>
}

export function createLogger(client: Client, options: LoggerOptions = {}): Logger {
  const { logPackage = false, logApplication: logsApplication = false } = options
  const { check = 30_000, interval = 60_000, pause = 10_000, most = 1_000 } = options
  const { http, graph } = insideOf(client)
  const url = options.url?.replace(/\/+$/, '') ?? client.url
  const requestFrom = options.application ?? globalThis.location?.host ?? ''
  const session = () => options.session ?? Number(http.session)
  const user = () => graph.user
  const around = () => ({ requestFrom, sessionId: session() })

  /** What every entry has stands first: where there is too much, the rest is cut. */
  function entry(level: Level, message: string, fields: Fields): string {
    const fixed = { timestamp: new Date().toISOString(), level, message }
    return JSON.stringify(plain({ ...fixed, ...fields, ...fixed }))
  }
  const ofPackage: Log = {
    type: 'mftsccs',
    batch: 300,
    most,
    entries: [],
    dropped: 0,
    entry: (level, message, fields) => entry(level, message, { ...around(), ...fields }),
  }
  const ofApplication: Log = {
    type: 'app',
    batch: 50,
    most,
    entries: [],
    dropped: 0,
    entry: (level, message, data) => entry(level, message, { data: { ...around(), ...data } }),
  }
  const logs = [ofPackage, ofApplication]
  let sender: Sender | undefined
  let due = performance.now() + interval
  let leaving = false
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = new AbortController()
  const { signal } = stop
  if (logPackage || logsApplication) begin()

  function begin(): void {
    timer = setInterval(() => {
      if (performance.now() >= due && waiting()) void send()
    }, check)
    const leave = ({ type }: Event) => {
      leaving = type === 'pagehide'
      if (leaving) sender?.leave()
    }
    for (const event of ['pagehide', 'pageshow'])
      globalThis.addEventListener?.(event, leave, { signal })
    // A phone ends what is hidden without a word.
    const hidden = () => document.hidden && void send()
    globalThis.document?.addEventListener('visibilitychange', hidden, { signal })
    // So that it is there when the page is left.
    void sending()
  }

  const waiting = () => logs.some(({ entries }) => entries.length > 0)

  /** Where its code does not load, the next to ask tries again. */
  async function sending(): Promise<Sender | undefined> {
    const loaded = await import('./sender.ts').catch(() => undefined)
    sender ??= loaded && new loaded.Sender(logs, { url, http, session, user, pause })
    return sender
  }

  async function send(): Promise<void> {
    await (await sending())?.send()
    if (!waiting()) due = performance.now() + interval
  }

  function put(log: Log, on: boolean, level: Level, message: string, fields?: Fields): void {
    if (!on || signal.aborted || gravity[level] < gravity[logger.level]) return
    log.entries.push({ text: log.entry(level, message, fields), user: graph.user })
    trim(log)
    if (gravity[level] < gravity.ERROR) return
    // What is logged next may belong to it, as the end of a page to its beginning.
    if (leaving) queueMicrotask(() => sender?.leave())
    else void send()
  }

  function logCall<T>(
    functionName: string,
    functionParameters: readonly unknown[],
    work: () => T,
  ): T {
    const startTime = Date.now()
    const began = performance.now()
    const done = (e?: unknown) =>
      logger.log(e === undefined ? 'INFO' : 'ERROR', 'function called', {
        functionName,
        functionParameters,
        startTime,
        responseTime: `${Math.round(performance.now() - began)} ms`,
        applicationId: http.randomizer,
        serviceWorker: false,
        errorMessage: e === undefined ? e : `${e}`,
      })
    const failed = (e: unknown): never => {
      done(e)
      throw e
    }
    const worked = <R>(result: R): R => {
      done()
      return result
    }
    let result: T
    try {
      result = work()
    } catch (e) {
      return failed(e)
    }
    // Whoever does not see to a failure is told of it as before.
    return result instanceof Promise ? (result.then(worked, failed) as T) : worked(result)
  }

  const logger: Logger = {
    level: options.level ?? 'INFO',
    url,
    logsApplication,
    log: (level, message, fields) => put(ofPackage, logPackage, level, message, fields),
    logApplication: (level, message, data) =>
      put(ofApplication, logsApplication, level, message, data),
    logEvent: (name, description) =>
      logger.logApplication('USER_EVENT', name, { url: globalThis.location?.href, description }),
    logCall,
    send,
    close() {
      stop.abort()
      clearInterval(timer)
      return send()
    },
  }
  return logger
}
