import { BaseUrl } from './base-url.ts'
import { startLogs } from './logger.ts'
import { startWorker, type WorkerSettings } from './service-worker.ts'
import { initialToken, openClient, setAddresses, TokenStorage } from './start.ts'
import { AccessTracker } from './tracker.ts'

interface Flags {
  logApplication?: boolean
  logPackage?: boolean
  accessTracker?: boolean
  isTest?: boolean
}

interface Parameters {
  logserver?: string
  isPwa?: boolean
}

/**
 * Opens the client of a server. Must be called before any other call. Of the URLs only the first is used, because one
 * server serves all calls. Resolves with true when the data of earlier visits is restored.
 *
 * @param url origin of the server
 * @param accessToken token of the user; by default the token in the profile that the application stored
 * @param applicationName names the database of this browser
 * @param enableSW registers the service worker
 */
export async function init(
  url = '',
  aiurl = '',
  accessToken = '',
  nodeUrl = '',
  _enableAi = true,
  applicationName = '',
  enableSW: WorkerSettings | undefined = undefined,
  flags: Flags = {},
  parameters: Parameters = {},
): Promise<true | undefined> {
  const origin = url || nodeUrl || globalThis.location?.origin || ''
  setAddresses(origin, aiurl, nodeUrl, applicationName)
  BaseUrl.LOG_SERVER = parameters.logserver ?? ''
  BaseUrl.isPwa = parameters.isPwa ?? false
  BaseUrl.setRandomizer(Math.floor(Math.random() * 100_000_000))
  Object.assign(BaseUrl.FLAGS, flags)
  const client = openClient(origin, applicationName, initialToken(accessToken))
  TokenStorage.sessionId = Number(TokenStorage.sessionId)
  await client.ready
  if (flags.logApplication || flags.logPackage) startLogs().catch(() => {})
  if (flags.accessTracker) AccessTracker.startAutoSync()
  if (enableSW?.activate) await startWorker(enableSW).catch(() => {})
  return true
}
