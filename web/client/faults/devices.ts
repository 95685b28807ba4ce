import type { Client } from '../src/api.ts'
import { createClient } from '../src/client.ts'
import { agentOf } from './agent.ts'
import { looseClock } from './clock.ts'
import type { Accidents, Form, Tab } from './form.ts'

/**
 * Clients in Node, each for itself as three devices are: what they write is in memory until the server has it, so one
 * that is closed may lose what was not synced. Nothing crashes here, because nothing is left of what crashes.
 */
export const devices: Form = {
  name: 'node',
  shared: false,
  files: new Map(),
  async begin(url) {
    const clients: Client[] = []
    return {
      accidents,
      async open(name, tell) {
        const client = createClient({ url, storage: 'memory' })
        clients.push(client)
        await client.ready
        const agent = agentOf(client, tell)
        const tab: Tab = {
          name,
          carryOut: (operation) => agent.carryOut(operation),
          standing: async () => agent.standing(),
          shown: async () => agent.shown(),
          refresh: () => agent.refresh(),
          close: async () => client.close(),
        }
        return tab
      },
      mend: async () => {},
      end: async () => {
        for (const client of clients) client.close()
        jump?.(0)
      },
    }
  },
  end: async () => {},
}

let jump: ReturnType<typeof looseClock> | undefined

const accidents: Accidents = {
  'tab closed': async ({ tabs, one, open }) => {
    const tab = one(tabs)
    await tab.close()
    await open(tab)
  },
  'clock jumped': async ({ dice }) => {
    jump ??= looseClock()
    jump((dice() - 0.5) * 10 ** Math.floor(4 + dice() * 6))
  },
}
