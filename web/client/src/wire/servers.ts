import { WeftError } from '../model/error.ts'
import { expectList } from './expect.ts'
import { defaultSession, type Http } from './http.ts'
import { isRecord, parseJson } from './json.ts'
import { ignoreError } from './retry.ts'

/*
 * Reads of records and stored widgets from additional servers.
 *
 *   candidates left ──the first one does not respond──▶ it is dropped for this tab; the next one is tried
 *   none left ──▶ the main server
 *
 * A read moves on to the next server only if no response arrives; an error response ends it. A read costs one request.
 * If an additional server does not have some of the ids, or the widget, a second request goes to the main server.
 */

/** The configuration that the server gives an application when it starts. */
interface Configuration {
  /** Origins of additional servers, in the order in which to try them. */
  readonly servers: readonly string[]
  readonly config: unknown
  readonly session: string
}

/**
 * Makes a client read records from additional servers. Without `listed`, requests the configuration of the application
 * from the main server, once per tab. The configuration is stored in session storage under
 * `<application>_cacheServers`, `_config` and `_session`. Its session number replaces that of the client.
 *
 * @param listed origins from the options of the application
 */
export async function readFromServers(
  http: Http,
  application: string,
  listed?: readonly string[],
): Promise<void> {
  const configuration = listed
    ? undefined
    : (loadConfiguration(application) ?? (await fetchConfiguration(http, application)))
  if (configuration) http.session = configuration.session
  let servers = (listed ?? configuration?.servers ?? []).map((url) => url.replace(/\/+$/, ''))

  /** Reads from the first additional server that responds, or from the main server if none is left. */
  const readFromFirst = async <T>(
    readFrom: (origin: string) => Promise<T>,
    readFromMain: () => Promise<T>,
    isNoResponse: (e: unknown) => boolean,
  ): Promise<T> => {
    for (;;) {
      const [origin] = servers
      if (origin === undefined || origin === http.url) return readFromMain()
      try {
        return await readFrom(origin)
      } catch (e) {
        if (!isNoResponse(e)) throw e
        servers = servers.filter((server) => server !== origin)
        if (configuration) storeConfiguration(application, { ...configuration, servers })
      }
    }
  }

  http.readRecords = (path, ids) =>
    readFromFirst<readonly unknown[]>(
      async (origin) => {
        const found = expectList(await http.post(path, ids, { origin }))
        return found.concat(await readRecordsFromMain(http, path, withoutFound(ids, found)))
      },
      () => readRecordsFromMain(http, path, ids),
      isNoResponse,
    )

  http.readPath = (path, isFound) =>
    readFromFirst<Response>(
      async (origin) => {
        const response = await http.fetchWithToken(path, {}, { origin })
        if (!response.ok) return response
        const json = await response.clone().json().catch(ignoreError)
        return isFound(json) ? response : http.fetchWithToken(path)
      },
      () => http.fetchWithToken(path),
      () => true,
    )
}

/** Reads from the main server, which also has the records that an additional server does not have yet. */
async function readRecordsFromMain(
  http: Http,
  path: string,
  ids: readonly number[],
): Promise<readonly unknown[]> {
  if (ids.length === 0) return []
  try {
    return expectList(await http.post(path, ids))
  } catch (e) {
    throw isNoResponse(e) ? new WeftError('unavailable', 'Base Server Down', e) : e
  }
}

/**
 * Reports whether an error means that no response arrived. The error of a response has a status as its cause instead.
 */
const isNoResponse = (e: unknown): boolean =>
  e instanceof WeftError && e.kind === 'unavailable' && typeof e.cause === 'object'

function withoutFound(ids: readonly number[], found: readonly unknown[]): readonly number[] {
  const foundIds = new Set(found.map((c) => (c as { id?: number } | null)?.id))
  return ids.filter((id) => !foundIds.has(id))
}

/** Fetches and stores the configuration. Returns undefined on any failure; the next page tries again. */
async function fetchConfiguration(
  http: Http,
  application: string,
): Promise<Configuration | undefined> {
  const path = `/api/v1/config?application=${encodeURIComponent(application)}`
  try {
    const { response, text } = await http.requestText(path, { method: 'POST' })
    const configuration = response.ok ? parseConfiguration(parseJson(text)) : undefined
    if (configuration) storeConfiguration(application, configuration)
    return configuration
  } catch {
    return undefined
  }
}

function parseConfiguration(json: unknown): Configuration | undefined {
  if (!isRecord(json)) return undefined
  const { success, servers, config = {}, session } = json
  if (success === false) return undefined
  return {
    servers: parseOrigins(servers),
    config,
    session: session ? String(session) : defaultSession,
  }
}

const parseOrigins = (x: unknown): readonly string[] =>
  Array.isArray(x) ? x.filter((origin) => typeof origin === 'string' && URL.canParse(origin)) : []

/** Keys of the session storage. Applications of the wire contract use the same keys. */
const storageKeys = (application: string) => ({
  servers: `${application}_cacheServers`,
  config: `${application}_config`,
  session: `${application}_session`,
})

/** Loads the configuration that this tab stored. Undefined if one of its three parts is missing or unreadable. */
function loadConfiguration(application: string): Configuration | undefined {
  const keys = storageKeys(application)
  const servers = loadItem(keys.servers)
  const config = loadItem(keys.config)
  const session = loadItem(keys.session)
  if (!Array.isArray(servers) || !isRecord(config) || session === undefined) return undefined
  return { servers: parseOrigins(servers), config, session: String(session) }
}

function storeConfiguration(
  application: string,
  { servers, config, session }: Configuration,
): void {
  const keys = storageKeys(application)
  try {
    sessionStorage.setItem(keys.servers, JSON.stringify(servers))
    sessionStorage.setItem(keys.config, JSON.stringify(config))
    sessionStorage.setItem(keys.session, session)
  } catch {
    // Without session storage, the next page fetches the configuration again.
  }
}

function loadItem(key: string): unknown {
  try {
    return parseJson(sessionStorage.getItem(key) ?? '')
  } catch {
    return undefined
  }
}
