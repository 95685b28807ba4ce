import { useEffect, useRef } from 'react'
import { useSyncStatus } from '../use-sync-status.ts'
import type { Option, Options } from './use-options.ts'

interface OptionListProps {
  /** Id of the text box; the ids of the list and its options start with this id. */
  readonly id: string
  readonly found: Options
  readonly hidden: boolean
  /** Id of the option that the arrow keys have reached. */
  readonly activeId: number | undefined
  readonly chosen: Option | undefined
  readonly onChoose: (option: Option) => void
}

export const optionElementId = (id: string, option: Option | undefined): string =>
  `${id}-${option?.id}`

/** Renders the options under the text box. */
export function OptionList({ id, found, hidden, activeId, chosen, onChoose }: OptionListProps) {
  const { options, state } = found
  const list = useRef<HTMLDivElement>(null)
  const online = useSyncStatus(({ online }) => online)
  useEffect(() => {
    if (activeId !== undefined)
      list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest' })
  }, [activeId])
  const message = messageFor(found)
  return (
    <div className="choices" hidden={hidden}>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label="Options"
        aria-busy={state.status === 'loading'}
        onMouseDown={(event) => event.preventDefault()}
      >
        {options.map((option) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text box handles the keys
          <div
            key={option.id}
            id={optionElementId(id, option)}
            role="option"
            tabIndex={-1}
            aria-selected={option.id === chosen?.id}
            className={option.id === activeId ? 'active' : undefined}
            onClick={() => onChoose(option)}
          >
            {option.label}
          </div>
        ))}
      </div>
      {message && <p className="note">{message}</p>}
      {!online && <p className="note">You are offline. Earlier options are shown.</p>}
      {state.status === 'error' && (
        <button type="button" className="again" onClick={() => void state.refresh()}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Returns a sentence about the options for screen readers. */
export function summary(found: Options): string {
  const { length } = found.options
  return messageFor(found) ?? (length === 1 ? '1 option' : `${length} options`)
}

/** Returns the message to show instead of options; undefined when options are shown. */
function messageFor({ options, state }: Options): string | undefined {
  if (state.status === 'error') return `Error: ${state.error.message}`
  if (state.status === 'loading') return 'Loading…'
  return options.length === 0 ? 'Nothing found' : undefined
}
