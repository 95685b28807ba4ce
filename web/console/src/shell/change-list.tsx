import { useSyncExternalStore } from 'react'
import { undo } from '../model/console.tsx'
import { BusyButton } from '../parts/busy-button.tsx'

/** The changes in this tab, newest first, with Undo and Redo. */
export function ChangeList() {
  const { done, undone, status } = useSyncExternalStore(undo.subscribe, undo.get)
  return (
    <>
      {done.length + undone.length === 0 && (
        <p className="soft">No changes have been made in this tab yet.</p>
      )}
      <ol className="changes">
        {undone.map((change, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: changes have no identity but their place
          <li key={`undone ${i}`} className="soft">
            <s>{change.label}</s>
          </li>
        ))}
        {done.toReversed().map((change, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: changes have no identity but their place
          <li key={`done ${i}`}>{change.label}</li>
        ))}
      </ol>
      <p className="acts">
        <BusyButton
          className="button"
          isBusy={status === 'working'}
          isUnavailable={done.length === 0}
          onClick={() => void undo.undo()}
        >
          Undo the last change
        </BusyButton>
        <BusyButton
          className="button quiet"
          isBusy={status === 'working'}
          isUnavailable={undone.length === 0}
          onClick={() => void undo.redo()}
        >
          Redo
        </BusyButton>
      </p>
    </>
  )
}
