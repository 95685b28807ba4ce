import { useEffect, useRef } from 'react'
import { useSyncStatus } from '../use-sync-status.ts'
import type { Option, Options } from './use-options.ts'

interface ChoicesProps {
  readonly id: string
  readonly found: Options
  readonly hidden: boolean
  readonly active: number | undefined
  readonly chosen: Option | undefined
  readonly onChoose: (option: Option) => void
}

export const optionId = (id: string, option: Option | undefined): string => `${id}-${option?.id}`

/** The list under the text box. */
export function Choices({ id, found, hidden, active, chosen, onChoose }: ChoicesProps) {
  const { options, state } = found
  const list = useRef<HTMLDivElement>(null)
  const online = useSyncStatus(({ online }) => online)
  useEffect(() => {
    if (active !== undefined)
      list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const message = messageOf(found)
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
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text box listens to keys
          <div
            key={option.id}
            id={optionId(id, option)}
            role="option"
            tabIndex={-1}
            aria-selected={option.id === chosen?.id}
            className={option.id === active ? 'active' : undefined}
            onClick={() => onChoose(option)}
          >
            {option.label}
          </div>
        ))}
      </div>
      {message && <p className="note">{message}</p>}
      {!online && <p className="note">There is no network: this is what was seen before.</p>}
      {state.status === 'error' && (
        <button type="button" className="again" onClick={() => void state.refresh()}>
          Try again
        </button>
      )}
    </div>
  )
}

/** What there is to choose, in words. */
export function summary(found: Options): string {
  const { length } = found.options
  return messageOf(found) ?? (length === 1 ? '1 option' : `${length} options`)
}

/** Why there is nothing to choose. */
function messageOf({ options, state }: Options): string | undefined {
  if (state.status === 'error') return `Error: ${state.error.message}`
  if (state.status === 'loading') return 'Please Wait...'
  return options.length === 0 ? 'Nothing found' : undefined
}
