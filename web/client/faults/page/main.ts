import { createClient } from '../../src/index.ts'
import { type Agent, agentOf } from '../agent.ts'
import { looseClock } from '../clock.ts'
import type { Told } from '../operation.ts'
import { looseDatabases } from './databases.ts'

declare global {
  interface Window {
    agent: Agent
    moveClock(by: number): void
    closeDatabases(openly: boolean): void
    /** Told goes to the trial. */
    tell(told: Told): Promise<void>
  }
}

window.moveClock = looseClock()
window.closeDatabases = looseDatabases()
const client = createClient({ url: location.origin, application: 'faults' })
window.agent = agentOf(client, (told) => void window.tell(told))
