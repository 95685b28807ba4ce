import { type ReactNode, useEffect, useRef } from 'react'
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
  // On phones a row of tabs scrolls.
  const row = useRef<HTMLElement>(null)
  const current = tabs.find(({ isCurrent }) => isCurrent)?.to
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab became the current one
  useEffect(() => {
    const link = row.current?.querySelector('[aria-current]')
    link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  return (
    <nav ref={row} className="tabs" aria-label={label}>
      {tabs.map(({ to, label: text, count, isCurrent }) => (
        <Link key={to} to={to} aria-current={isCurrent ? 'page' : undefined}>
          {text}
          {count !== undefined && <small>{count}</small>}
        </Link>
      ))}
    </nav>
  )
}
