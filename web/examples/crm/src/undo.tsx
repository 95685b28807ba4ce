import { useSyncExternalStore } from 'react'

interface Step {
  readonly text: string
  readonly undo: () => unknown
}

let steps: readonly Step[] = []
const listeners = new Set<() => void>()

function setSteps(next: readonly Step[]) {
  steps = next
  for (const listener of listeners) listener()
}

export function addUndoStep(text: string, undo: () => unknown) {
  setSteps([...steps, { text, undo }])
}

/** Shows the last change and a button that reverts it. */
export function UndoBar() {
  const last = useSyncExternalStore(subscribe, () => steps.at(-1))
  if (!last) return null
  const undo = () => {
    setSteps(steps.slice(0, -1))
    last.undo()
  }
  return (
    <p className="bar" role="status">
      {last.text}
      <button type="button" onClick={undo}>
        Undo
      </button>
    </p>
  )
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
