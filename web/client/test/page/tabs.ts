import { Tabs } from '../../src/sync/tabs.ts'

declare global {
  interface Window {
    tabs: Tabs<string>
    /** What this page was told, oldest first. */
    news: string[]
  }
}

window.news = []
window.tabs = new Tabs<string>('test', {
  hear: (news) => window.news.push(news),
  missed: () => window.news.push('(missed)'),
  lead: (leading) => window.news.push(leading ? '(leads)' : '(follows)'),
})
