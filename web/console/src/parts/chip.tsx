import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** A condition or setting in a box. `remove` adds a button that removes it. */
export function Chip({
  children,
  remove,
  removeLabel = 'Remove',
}: {
  readonly children: ReactNode
  readonly remove?: () => void
  readonly removeLabel?: string
}) {
  return (
    <span className="chip">
      {children}
      {remove && (
        <button type="button" className="x" aria-label={removeLabel} onClick={remove}>
          <Icon name="close" />
        </button>
      )}
    </span>
  )
}
