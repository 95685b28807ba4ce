import type { ReactNode } from 'react'

/** The sidebar of a room, with a list. The key `[` shows and hides it; on phones it is hidden. */
export function Sidebar({
  title,
  action,
  footer,
  children,
}: {
  readonly title: string
  /** A button next to the title. */
  readonly action?: ReactNode
  /** A sentence below the list, such as one about the permissions of the user. */
  readonly footer?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <nav className="side" aria-label={title}>
      <h2>
        {title} {action}
      </h2>
      {children}
      {footer !== undefined && <p className="end">{footer}</p>}
    </nav>
  )
}

/** The main content of a room, next to the sidebar. */
export function Main({ children, label }: { children: ReactNode; label?: string }) {
  return (
    <main id="main" tabIndex={-1} aria-label={label}>
      {children}
    </main>
  )
}
