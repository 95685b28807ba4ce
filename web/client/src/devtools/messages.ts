import type { Client } from '../api.ts'
import { insideOf } from '../inside.ts'
import { clock, element, table } from './element.ts'
import type { Traced } from './trace.ts'

/** Who sends for all tabs, and what crossed the edge of this page. */
export function messagesPanel(
  client: Client,
  leader: string,
  traced: readonly Traced[],
): HTMLElement {
  const { name, http } = insideOf(client)
  const rows = traced.map(({ at, where, what, result }) => [clock(at), where, what, result])
  return element(
    'div',
    {},
    element('p', {}, `${name.trim()} · ${leader} · session ${http.session}`),
    table(['at', 'with', 'message', 'answer'], rows, 'No message yet.'),
  )
}

/** Says which tab holds the lock of those that share a name. */
export async function leaderOf(name: string): Promise<string> {
  const locks = globalThis.navigator?.locks
  if (!locks) return 'every tab sends for itself'
  const probe = `weft devtools ${crypto.randomUUID()}`
  return locks.request(probe, async () => {
    const { held = [], pending = [] } = await locks.query()
    const me = held.find((lock) => lock.name === probe)?.clientId
    const leader = held.find((lock) => lock.name === name)?.clientId
    const tabs = new Set([...held, ...pending].filter((l) => l.name === name)).size
    const who =
      leader === undefined ? 'no tab leads' : leader === me ? 'this tab leads' : 'another tab leads'
    return `${who}, of ${tabs}`
  })
}
