import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { namesOf } from '../model/names.ts'
import { type LinkedRecord, textOf } from './cell.ts'

/** The number of records that are offered. */
const offered = 8

interface LinkSearchProps {
  /** The type of the records: `the_customer`. */
  readonly target: string
  readonly label: string
  readonly start: string
  /** Whether the link can be removed. */
  readonly canBeEmpty: boolean
  readonly choose: (target: LinkedRecord | undefined) => void
  readonly cancel: () => void
}

/** A field that finds the records that have a text in one of their own values. Arrow keys move through the matches, Enter selects one. */
export function LinkSearch({ target, label, start, canBeEmpty, choose, cancel }: LinkSearchProps) {
  const [text, setText] = useState(start)
  const [index, setIndex] = useState(0)
  const found = useFound(target, text)
  const id = useId()
  const options = [...found.records, ...(canBeEmpty && text === '' ? [undefined] : [])]
  const chosen = Math.min(index, options.length - 1)
  const isCurrent = found.text === text
  // Enter before the answer for the current text chooses its first match when it arrives.
  const [isWaiting, setWaiting] = useState(false)
  useEffect(() => {
    if (!isWaiting || !isCurrent) return
    setWaiting(false)
    if (options.length > 0) choose(options[chosen])
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setIndex((chosen + step + options.length) % Math.max(1, options.length))
    else if (event.key === 'Enter') setWaiting(true)
    else if (event.key === 'Escape' || event.key === 'Tab') cancel()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <span className="link-search">
      <input
        className="editor"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={options.length > 0 ? `${id}-${chosen}` : undefined}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: the editor opens for typing
        autoFocus
        onChange={(event) => {
          setText(event.target.value)
          setIndex(0)
          setWaiting(false)
        }}
        onKeyDown={onKeyDown}
        onBlur={cancel}
      />
      <span role="listbox" id={id} aria-label={`${namesOf(target).many} found`} className="offers">
        {options.map((option, i) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
          <span
            key={option?.id ?? 'nothing'}
            role="option"
            id={`${id}-${i}`}
            aria-selected={i === chosen}
            onMouseDown={(event) => {
              event.preventDefault()
              choose(option)
            }}
          >
            {option?.label ?? 'Remove the link'}
          </span>
        ))}
        {options.length === 0 && (
          <span className="soft">
            {isCurrent
              ? `No ${namesOf(target).one.toLowerCase()} contains this text.`
              : 'Searching …'}
          </span>
        )}
      </span>
    </span>
  )
}

/** The records that have a text. */
interface Found {
  /** Undefined before the first answer. */
  readonly text: string | undefined
  readonly records: readonly LinkedRecord[]
}

/**
 * Returns the newest records of a type that have a text in one of their own values, not in those of nested records.
 * Without a text, returns the newest records. Until the answer for a new text arrives, returns those of the previous text.
 */
function useFound(target: string, text: string): Found {
  const { client } = useConsole()
  const [found, setFound] = useState<Found>({ text: undefined, records: [] })
  useEffect(() => {
    const live = client.query<{ readonly id: number }>(
      {
        type: target,
        selectors: ['self'],
        pageSize: offered,
        ...(text.trim() !== '' && {
          hops: [{ connection: 'self', direct: true, name: 's' }],
          filters: [{ name: 's', on: 's', op: 'like', search: `%${text.trim()}%` }],
          logic: 's',
        }),
      },
      { format: 'DATAID' },
    )
    const read = () => {
      const state = live.get()
      if (state.status === 'ready')
        setFound({
          text,
          records: state.data.map((row) => ({ id: row.id, type: target, label: textOf(row) })),
        })
    }
    const stop = live.subscribe(read)
    read()
    return stop
  }, [client, target, text])
  return found
}
