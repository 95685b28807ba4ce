import { useEffect } from 'react'

/** How long a deletion can be undone. */
const undoTimeoutMs = 15_000

export interface Deletion {
  /** The name of the deleted idea or link. */
  readonly name: string
  readonly undo: () => void
}

/** Offers to undo a deletion, for fifteen seconds. */
export function Undo({ deletion, dismiss }: { deletion: Deletion; dismiss: () => void }) {
  useEffect(() => {
    const timer = setTimeout(dismiss, undoTimeoutMs)
    return () => clearTimeout(timer)
  }, [dismiss])
  return (
    <div className="editor-undo" role="status">
      <span>Deleted “{deletion.name}”.</span>
      <button
        type="button"
        className="plain"
        ref={(button) => button?.focus({ preventScroll: true })}
        onClick={() => {
          deletion.undo()
          dismiss()
        }}
      >
        Undo
      </button>
    </div>
  )
}
