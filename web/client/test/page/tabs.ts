import { TabLeader } from '../../src/sync/tab-leader.ts'

declare global {
  interface Window {
    tabs: TabLeader<string>
    /** The events that this page received, oldest first, with its gaps and changes of leadership in parentheses. */
    received: string[]
  }
}

window.received = []
window.tabs = new TabLeader<string>('test', {
  onEvent: (event) => window.received.push(event),
  onGap: () => window.received.push('(missed)'),
  onLeadership: (leading) => window.received.push(leading ? '(leads)' : '(follows)'),
})
