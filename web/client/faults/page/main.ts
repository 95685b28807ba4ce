import { createClient } from '../../src/index.ts'
import { registerWorker } from '../../src/worker/index.ts'
import { type Agent, agentOf } from '../agent.ts'
import { looseClock } from '../clock.ts'
import type { Told } from '../operation.ts'
import { blockDatabases, emptyCaches, looseDatabases } from './databases.ts'

declare global {
  interface Window {
    agent: Agent
    moveClock(by: number): void
    closeDatabases(openly: boolean): void
    blockDatabases(time: number): Promise<void>
    emptyCaches(wholly: boolean): Promise<void>
    /** Told goes to the trial. */
    tell(told: Told): Promise<void>
  }
}

window.moveClock = looseClock()
window.closeDatabases = looseDatabases()
window.blockDatabases = blockDatabases
window.emptyCaches = emptyCaches
const client = createClient({ url: location.origin, application: 'faults' })
window.agent = agentOf(client, (told) => void window.tell(told))
// With the usual times a trial would be over before the page looks twice.
if (location.search === '?worker') registerWorker(client, { times: { check: 300, settled: 300 } })
