import type { Client } from '../src/api.ts'
import { createClient } from '../src/client.ts'
import { createAgent } from './agent.ts'
import { replaceClock } from './clock.ts'
import type { Accidents, Platform, Tab } from './platform.ts'

/**
 * Clients in Node, each simulating a separate device. Their writes are in memory until the server has accepted them, so
 * a client that is closed may lose unsynced writes. No crashes are simulated, because without a disk nothing could be
 * checked after a crash.
 */
export const nodePlatform: Platform = {
  name: 'node',
  hasSharedDisk: false,
  files: new Map(),
  async begin(url) {
    const clients: Client[] = []
    return {
      accidents,
      async open(name, report) {
        const client = createClient({ url, storage: 'memory' })
        clients.push(client)
        await client.ready
        const agent = createAgent(client, report)
        const tab: Tab = {
          name,
          carryOut: (operation) => agent.carryOut(operation),
          status: async () => agent.status(),
          shownRecords: async () => agent.shownRecords(),
          refresh: () => agent.refresh(),
          close: async () => client.close(),
        }
        return tab
      },
      repair: async () => {},
      end: async () => {
        for (const client of clients) client.close()
        moveClock?.(0)
      },
    }
  },
  end: async () => {},
}

let moveClock: ReturnType<typeof replaceClock> | undefined

const accidents: Accidents = {
  'tab closed': async ({ tabs, pick, open }) => {
    const tab = pick(tabs)
    await tab.close()
    await open(tab)
  },
  'clock jumped': async ({ random }) => {
    moveClock ??= replaceClock()
    moveClock((random() - 0.5) * 10 ** Math.floor(4 + random() * 6))
  },
}
