import { useEffect, useSyncExternalStore } from 'react'
import { useConsole } from '../model/console.tsx'
import { showKeys } from '../model/keys.ts'
import { hrefOf, useLocation } from '../model/router.ts'
import {
  followChanges,
  getProgress,
  removeSteps,
  restoreSteps,
  type Step,
  subscribeProgress,
  tick,
} from './steps.ts'
import './first.css'

const steps: readonly (readonly [step: Step, label: string, keys: string])[] = [
  ['data', 'Add some data', ''],
  ['edit', 'Edit a cell', 'enter'],
  ['open', 'Open a record', 'space'],
  ['graph', 'See it as a graph', 'g g'],
  ['undo', 'Undo a change', 'mod+z'],
]

/** The list of first steps for a new user. Each step is ticked when the user has done it. The user can remove the list. */
export function FirstSteps({ hasData }: { hasData: boolean }) {
  const { undo } = useConsole()
  const { status, done } = useSyncExternalStore(subscribeProgress, getProgress)
  useTicks(hasData)
  if (status !== 'shown') return null
  const remove = () => {
    removeSteps()
    undo.push({ label: 'First steps removed', undo: restoreSteps, redo: removeSteps })
  }
  return (
    <section className="first-steps" aria-label="First steps">
      <h2>
        First steps{' '}
        <small>
          {done.length} of {steps.length}
        </small>
      </h2>
      <ol>
        {steps.map(([step, label, keys]) => (
          <li key={step} className={done.includes(step) ? 'done' : undefined}>
            <span>
              {label}
              {done.includes(step) && <span className="unseen">, done</span>}
            </span>
            {keys !== '' && <kbd>{showKeys(keys)}</kbd>}
          </li>
        ))}
      </ol>
      <button type="button" className="button bare" onClick={remove}>
        Remove this list
      </button>
    </section>
  )
}

/** Ticks the completed steps, which are derived from the address, the data and the list of changes. */
function useTicks(hasData: boolean): void {
  const { room, rest, params } = useLocation()
  const isRecord = room === 'records' && (params.has('open') || /^-?\d+$/.test(rest[1] ?? ''))
  useEffect(() => followChanges(), [])
  useEffect(() => {
    if (hasData) tick('data')
    if (isRecord) tick('open')
  }, [hasData, isRecord])
  // Opening the room Graph unmounts this list.
  useEffect(
    () => () => {
      if (location.pathname.startsWith(hrefOf('/graph'))) tick('graph')
    },
    [],
  )
}
