import { type KeyboardEvent, useId, useMemo, useState, useSyncExternalStore } from 'react'
import type { Action } from '../model/actions.ts'
import { actions as registered } from '../model/console.tsx'
import { showKeys } from '../model/keys.ts'
import { navigate } from '../model/router.ts'
import { useTypes } from '../model/types.ts'
import { Icon } from '../parts/icon.tsx'
import type { RoomEntry } from './room.ts'

/** The number of entries of one group that are shown. */
const maxInGroup = 8

/** Finds types, actions and rooms by words of their names, and opens the chosen type or room, or runs the chosen action. */
export function Palette({ close, rooms }: { close: () => void; rooms: readonly RoomEntry[] }) {
  const [text, setText] = useState('')
  const [index, setIndex] = useState(0)
  const id = useId()
  const found = useFound(text, rooms)
  const chosen = Math.min(index, found.length - 1)
  const run = (action: Action | undefined) => {
    close()
    action?.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setIndex((chosen + step + found.length) % Math.max(found.length, 1))
    else if (event.key === 'Enter') run(found[chosen])
    else return
    event.preventDefault()
  }
  return (
    <>
      <label className="q">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Search pages and actions"
          placeholder="Search pages and actions"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={found[chosen] && `${id}-${chosen}`}
          value={text}
          // biome-ignore lint/a11y/noAutofocus: the dialog opens for this field
          autoFocus
          onChange={(event) => {
            setText(event.target.value)
            setIndex(0)
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <Options id={id} found={found} chosen={chosen} run={run} />
      {found.length === 0 && (
        <p className="nothing">No type, action or page has these words in its name.</p>
      )}
      <p className="hints desk">
        <span>
          <kbd>↑↓</kbd> choose
        </span>
        <span>
          <kbd>↵</kbd> open or run
        </span>
      </p>
    </>
  )
}

interface OptionsProps {
  readonly id: string
  readonly found: readonly Action[]
  readonly chosen: number
  readonly run: (action: Action) => void
}

function Options({ id, found, chosen, run }: OptionsProps) {
  return (
    <div role="listbox" id={id} aria-label="Found" className="found">
      {found.map((action, i) => (
        <div key={action.id}>
          {action.group !== found[i - 1]?.group && (
            <p className="group" aria-hidden="true">
              {action.group ?? 'Actions'}
            </p>
          )}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus */}
          <div
            role="option"
            id={`${id}-${i}`}
            aria-selected={i === chosen}
            onClick={() => run(action)}
          >
            <span>{action.label}</span>
            {action.keys !== undefined && <kbd>{showKeys(action.keys)}</kbd>}
          </div>
        </div>
      ))}
    </div>
  )
}

/** Returns the types, actions and rooms whose names contain every word of `text`. */
function useFound(text: string, rooms: readonly RoomEntry[]): readonly Action[] {
  const { types } = useTypes()
  const own = useSyncExternalStore(registered.subscribe, registered.get)
  return useMemo(() => {
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    const matches = ({ label }: Action) => words.every((word) => label.toLowerCase().includes(word))
    const ofTypes = types
      .filter(({ kind }) => kind === 'record')
      .map(({ name, names }) => ({
        id: `type ${name}`,
        label: names.many,
        group: 'Records',
        run: () => navigate(`/records/${name}`),
      }))
    const ofRooms = rooms.map(({ id, label, key }) => ({
      id: `room ${id}`,
      label,
      group: 'Go',
      keys: `g ${key}`,
      run: () => navigate(`/${id}`),
    }))
    return [ofTypes, own, ofRooms].flatMap((group) => group.filter(matches).slice(0, maxInGroup))
  }, [text, types, own, rooms])
}
