import { WeftError } from '../graph/error.ts'
import type { Http } from './http.ts'
import { isRecord, parse } from './json.ts'
import { listOf } from './shape.ts'

/** What the server says an application should know when it starts. */
interface Configuration {
  /** Origins that answer reads, in the order in which to try them. */
  readonly servers: readonly string[]
  readonly config: unknown
  readonly session: string
}

/**
 * Reads records from the first of some servers that answers, and from the server itself when none does. Without a
 * list the server is asked for one, once for each tab: what it says is kept in the session storage under
 * `<application>_cacheServers`, `_config` and `_session`, and its session names the requests from then on. A server
 * that does not answer is not asked again in this tab.
 */
export async function useServers(
  http: Http,
  application: string,
  given?: readonly string[],
): Promise<void> {
  const known = given ? undefined : (stored(application) ?? (await asked(http, application)))
  if (known) http.session = known.session
  let servers = (given ?? known?.servers ?? []).map((url) => url.replace(/\/+$/, ''))

  http.read = async (path, ids) => {
    for (;;) {
      const [origin] = servers
      if (origin === undefined || origin === http.url) return ofBase(path, ids)
      try {
        const found = listOf(await http.post(path, ids, { origin }))
        return found.concat(await ofBase(path, missing(ids, found)))
      } catch (e) {
        // An answer is an answer, whatever it says.
        if (!isSilence(e)) throw e
        servers = servers.filter((server) => server !== origin)
        if (known) keep(application, { ...known, servers })
      }
    }
  }

  /** A cache may be behind: what it does not have it is asked of the server itself. */
  async function ofBase(path: string, ids: readonly number[]): Promise<readonly unknown[]> {
    if (ids.length === 0) return []
    try {
      return listOf(await http.post(path, ids))
    } catch (e) {
      throw isSilence(e) ? new WeftError('unavailable', 'Base Server Down', e) : e
    }
  }
}

const isSilence = (e: unknown): boolean =>
  e instanceof WeftError && e.kind === 'unavailable' && typeof e.cause === 'object'

function missing(ids: readonly number[], found: readonly unknown[]): readonly number[] {
  const there = new Set(found.map((c) => (c as { id?: number } | null)?.id))
  return ids.filter((id) => !there.has(id))
}

/** Asks the server. Without an answer there is nothing but the server itself, and the next page asks again. */
async function asked(http: Http, application: string): Promise<Configuration | undefined> {
  const path = `/api/v1/config?application=${encodeURIComponent(application)}`
  try {
    const { answer, text } = await http.ask(path, { method: 'POST' })
    const said = answer.ok ? configurationOf(parse(text)) : undefined
    if (said) keep(application, said)
    return said
  } catch {
    return undefined
  }
}

function configurationOf(json: unknown): Configuration | undefined {
  if (!isRecord(json)) return undefined
  const { success, servers, config = {}, session } = json
  if (success === false) return undefined
  return {
    servers: originsOf(servers),
    config,
    session: session ? String(session) : usualSession,
  }
}

/** The session of clients that were not given one. */
const usualSession = '998'

const originsOf = (x: unknown): readonly string[] =>
  Array.isArray(x) ? x.filter((origin) => typeof origin === 'string' && URL.canParse(origin)) : []

const names = (application: string) => ({
  servers: `${application}_cacheServers`,
  config: `${application}_config`,
  session: `${application}_session`,
})

/** What was said before in this tab, if all of it is there and can be read. */
function stored(application: string): Configuration | undefined {
  const at = names(application)
  const [servers, config, session] = [read(at.servers), read(at.config), read(at.session)]
  if (!Array.isArray(servers) || !isRecord(config) || session === undefined) return undefined
  return { servers: originsOf(servers), config, session: String(session) }
}

function keep(application: string, { servers, config, session }: Configuration): void {
  const at = names(application)
  try {
    sessionStorage.setItem(at.servers, JSON.stringify(servers))
    sessionStorage.setItem(at.config, JSON.stringify(config))
    sessionStorage.setItem(at.session, session)
  } catch {
    // Where there is no such storage the next page asks again.
  }
}

function read(name: string): unknown {
  try {
    return parse(sessionStorage.getItem(name) ?? '')
  } catch {
    return undefined
  }
}
