import { useEffect } from 'react'

export interface Removed {
  readonly what: string
  readonly undo: () => void
}

/** Offers for a while to bring back what was removed. */
export function Undo({ removed, leave }: { removed: Removed; leave: () => void }) {
  useEffect(() => {
    const timer = setTimeout(leave, 15_000)
    return () => clearTimeout(timer)
  }, [leave])
  return (
    <div className="editor-undo" role="status">
      <span>Removed “{removed.what}”.</span>
      <button
        type="button"
        className="plain"
        ref={(button) => button?.focus({ preventScroll: true })}
        onClick={() => {
          removed.undo()
          leave()
        }}
      >
        Undo
      </button>
    </div>
  )
}
