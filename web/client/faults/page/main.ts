import { createClient } from '../../src/index.ts'
import { registerWorker } from '../../src/worker/index.ts'
import { type Agent, createAgent } from '../agent.ts'
import { replaceClock } from '../clock.ts'
import type { Report } from '../operation.ts'
import { blockDatabases, emptyCaches, trackDatabases } from './databases.ts'

declare global {
  interface Window {
    agent: Agent
    moveClock(by: number): void
    closeDatabases(withEvent: boolean): void
    blockDatabases(time: number): Promise<void>
    emptyCaches(andDeleted: boolean): Promise<void>
    /** Sends a report to the trial. */
    report(report: Report): Promise<void>
  }
}

window.moveClock = replaceClock()
window.closeDatabases = trackDatabases()
window.blockDatabases = blockDatabases
window.emptyCaches = emptyCaches
const client = createClient({ url: location.origin, application: 'faults' })
window.agent = createAgent(client, (report) => void window.report(report))
// The intervals are short, because with the defaults a trial would end before the second check.
if (location.search === '?worker')
  registerWorker(client, { timeouts: { checkInterval: 300, takeoverDelay: 300 } })
