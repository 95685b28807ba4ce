import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import { element, formatTime, table } from './element.ts'
import type { TracedMessage } from './message-trace.ts'

/** Creates the panel with the leader tab and the traced messages. */
export function messagesPanel(
  client: Client,
  leader: string,
  messages: readonly TracedMessage[],
): HTMLElement {
  const { name, http } = internalsOf(client)
  const rows = messages.map(({ at, peer, label, result }) => [formatTime(at), peer, label, result])
  return element(
    'div',
    {},
    element('p', {}, `${name.trim()} · ${leader} · session ${http.session}`),
    table(['at', 'with', 'message', 'result'], rows, 'No messages yet.'),
  )
}

/** Describes which tab is the leader: the holder of the lock with this name. */
export async function describeLeader(name: string): Promise<string> {
  const locks = globalThis.navigator?.locks
  if (!locks) return 'every tab sends for itself'
  const probe = `weft devtools ${crypto.randomUUID()}`
  return locks.request(probe, async () => {
    const { held = [], pending = [] } = await locks.query()
    const self = held.find((lock) => lock.name === probe)?.clientId
    const leader = held.find((lock) => lock.name === name)?.clientId
    const tabs = new Set([...held, ...pending].filter((l) => l.name === name)).size
    const role =
      leader === undefined
        ? 'no tab leads'
        : leader === self
          ? 'this tab leads'
          : 'another tab leads'
    return `${role}, of ${tabs}`
  })
}
