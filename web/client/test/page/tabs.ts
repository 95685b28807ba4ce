import { Tabs } from '../../src/sync/tabs.ts'

declare global {
  interface Window {
    tabs: Tabs<string>
    /** What this page was told, oldest first. */
    told: string[]
  }
}

window.told = []
window.tabs = new Tabs<string>('test', {
  hear: (news) => window.told.push(news),
  missed: () => window.told.push('(missed)'),
  lead: (leading) => window.told.push(leading ? '(leads)' : '(follows)'),
})
