import type { Logger as ClientLogger, Level } from '@weft/client/logger'
import { BaseUrl } from './base-url.ts'
import { currentClient, isOpen } from './start.ts'

/*
 * The two logs of a page. A log is off unless `init` was called with its flag, `logPackage` or `logApplication`.
 * Entries from before that call are dropped. Secrets are removed from entries. `@weft/client/logger` sends them.
 */

/** Members of an entry. Further members are allowed. */
export interface LogData {
  [member: string]: any
}

let logger: Promise<ClientLogger> | undefined

/** Creates the logger of the client, once. */
function loadLogger(): Promise<ClientLogger> | undefined {
  const { logPackage, logApplication } = BaseUrl.FLAGS
  if (!isOpen() || (!logPackage && !logApplication)) return undefined
  logger ??= import('@weft/client/logger').then(({ createLogger }) =>
    createLogger(currentClient(), {
      logPackage,
      logApplication,
      application: BaseUrl.BASE_APPLICATION,
      ...(BaseUrl.LOG_SERVER && { url: BaseUrl.LOG_SERVER }),
    }),
  )
  return logger
}

/** Starts the logs whose flags are set, and the monitor of the page. */
export async function startLogs(): Promise<void> {
  const started = await loadLogger()
  if (!started?.logsApplication || typeof window === 'undefined') return
  const { startMonitor } = await import('@weft/client/monitor')
  startMonitor(started)
}

const levels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'ROUTE', 'USER_EVENT']
const levelOf = (level: string): Level =>
  (levels.includes(level.toUpperCase()) ? level.toUpperCase() : 'INFO') as Level

/** The logs of the library and of the application. */
export class Logger {
  static isLoggerActive = true
  static lastCheck = 0
  static checkInterval = 10_000
  static logLevel = 'INFO'
  static packageLogsData: any[] = []
  static applicationLogsData: any[] = []
  static LOG_LEVELS = levels.slice(0, 5)
  static SYNC_INTERVAL_MS = 60_000
  static nextSyncTime = 0
  static appLogs = 'app'
  static mftsccsBrowser = 'mftsccs'
  static autoSyncInterval: any = null

  static get logApplicationActivationStatus(): boolean {
    return BaseUrl.FLAGS.logApplication
  }

  static get logPackageActivationStatus(): boolean {
    return BaseUrl.FLAGS.logPackage
  }

  static startAutoSync(): void {
    void startLogs()
  }

  static stopAutoSync(): void {
    void logger?.then((open) => open.close())
    logger = undefined
  }

  static setLogLevel(level: string): void {
    Logger.logLevel = level
    void loadLogger()?.then((open) => {
      open.level = levelOf(level)
    })
  }

  static shouldLog(level: string): boolean {
    return levels.indexOf(levelOf(level)) >= levels.indexOf(levelOf(Logger.logLevel))
  }

  static formatLogData(level: string, message: string, data: LogData = {}): any {
    return { timestamp: new Date().toISOString(), level, message, ...data }
  }

  static log(level: 'INFO' | 'ERROR' | 'DEBUG' | 'WARNING', message: string, data?: any): void {
    void loadLogger()?.then((open) => open.log(level, message, data ?? {}))
  }

  /** Logs a finished call. */
  static logUpdate(logData: LogData): any {
    void loadLogger()?.then((open) => open.log('INFO', 'function called', logData))
    return logData
  }

  /** Returns the entry of a call that starts now, for `logUpdate`. */
  static logfunction(myFunction: string, ...args: any[]): any {
    return { startTime: performance.now(), functionName: myFunction, functionParameters: args }
  }

  static logError(
    startTime: number,
    userId: string | number,
    operationType?: 'read' | 'create' | 'update' | 'delete' | 'search',
    requestFrom?: string,
    requestIP?: string,
    responseStatus?: number,
    _responseData?: any,
    functionName?: string,
    functionParameters?: any[],
    userAgent?: string,
    conceptsUsed?: string[],
  ): void {
    const responseTime = (performance.now() - startTime).toFixed(3)
    const call = { userId, operationType, functionName, functionParameters, conceptsUsed }
    const request = { requestFrom, requestIP, responseStatus, responseTime, userAgent }
    Logger.log('ERROR', `Information logged for ${functionName}`, { ...call, ...request })
  }

  static logApplication(level: string, message: string, data?: any): void {
    void loadLogger()?.then((open) => open.logApplication(levelOf(level), message, data ?? {}))
  }

  static async checkLoggerServerStatus(): Promise<void> {}

  static async sendApplicationLogsToServer(): Promise<void> {
    await (await loadLogger())?.flush()
  }

  static async sendPackageLogsToServer(): Promise<void> {
    await (await loadLogger())?.flush()
  }

  /** Does nothing: entries are kept in memory until they are sent. */
  static saveLogToLocalStorage(): void {}

  static clearLogsFromLocalStorage(): void {}
}

/** Adds an action of the user to the application's log. */
export function LogEvent(EventName: string, EventDescription: string, _event: any): void {
  void loadLogger()?.then((open) => open.logEvent(EventName, EventDescription))
}
