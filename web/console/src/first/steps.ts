import { undo } from '../model/console.tsx'

/** The first steps of a new user. */
export type Step = 'data' | 'edit' | 'open' | 'graph' | 'undo'

/*
 * The progress of the first steps, stored in this browser.
 *
 *   absent ──startSteps──▶ shown ──removeSteps──▶ removed
 *                            ▲                       │
 *                            └─────restoreSteps──────┘
 *
 * A step that is done stays done: undoing a change does not untick it.
 */
export interface Progress {
  readonly status: 'absent' | 'shown' | 'removed'
  readonly done: readonly Step[]
}

const storageKey = 'weft-console-first-steps'
const listeners = new Set<() => void>()
let progress: Progress = read()

/** Returns the progress. */
export const getProgress = (): Progress => progress

/** Calls back after each change of the progress. */
export function subscribeProgress(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows the list, unless it was shown before. */
export function startSteps(): void {
  if (progress.status === 'absent') write({ ...progress, status: 'shown' })
}

/** Hides the list permanently. */
export const removeSteps = (): void => write({ ...progress, status: 'removed' })

/** Shows the list again, after `removeSteps`. */
export const restoreSteps = (): void => write({ ...progress, status: 'shown' })

/** Ticks a step while the list is shown. */
export function tick(step: Step): void {
  if (progress.status !== 'shown' || progress.done.includes(step)) return
  write({ ...progress, done: [...progress.done, step] })
}

/** The prefix of the labels of changes to sample data, which do not count as edits of the user. */
export const sampleLabel = 'Sample '

/** Ticks `edit` after the first change other than sample data, and `undo` after the first undo. Returns a function that unsubscribes. */
export function followChanges(): () => void {
  return undo.subscribe(() => {
    const { done, undone } = undo.get()
    if (done.some(({ label }) => !label.startsWith(sampleLabel))) tick('edit')
    if (undone.length > 0) tick('undo')
  })
}

function write(next: Progress): void {
  progress = next
  localStorage.setItem(storageKey, JSON.stringify(next))
  for (const listener of listeners) listener()
}

function read(): Progress {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey) ?? '') as Progress
    if (Array.isArray(stored.done)) return stored
  } catch {
    // Nothing was stored.
  }
  return { status: 'absent', done: [] }
}
