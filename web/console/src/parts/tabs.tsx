import type { ReactNode } from 'react'
import { Link } from './link.tsx'

/** One tab: an address and a label, perhaps with a number. */
export interface Tab {
  readonly to: string
  readonly label: ReactNode
  readonly count?: string | undefined
  readonly isCurrent: boolean
}

/** Tabs that are links, because every state has an address. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ to, label: text, count, isCurrent }) => (
        <Link key={to} to={to} aria-current={isCurrent ? 'page' : undefined}>
          {text}
          {count !== undefined && <small>{count}</small>}
        </Link>
      ))}
    </nav>
  )
}
