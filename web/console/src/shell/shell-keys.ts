import { useMemo } from 'react'
import { undo, useActions, useKeys } from '../model/console.tsx'
import type { KeyBinding } from '../model/keys.ts'
import { navigate } from '../model/router.ts'
import type { Layer } from './layer.ts'
import type { RoomEntry } from './room.ts'
import { toggleTheme } from './theme.ts'

/** Registers the keys and actions that work in all rooms. */
export function useShellKeys(
  rooms: readonly RoomEntry[],
  setLayer: (layer: Layer) => void,
  setSide: (change: (isOpen: boolean) => boolean) => void,
): void {
  const bindings = useMemo(
    () => [...roomKeys(rooms), ...shellKeys(setLayer, setSide)],
    [rooms, setLayer, setSide],
  )
  useKeys(bindings)
  const actions = useMemo(
    () => [
      { id: 'theme', label: 'Switch between light and dark', run: toggleTheme },
      { id: 'keys', label: 'Show all keys', keys: '?', run: () => setLayer('keys') },
      {
        id: 'changes',
        label: 'Show the changes in this tab',
        keys: 'u',
        run: () => setLayer('changes'),
      },
    ],
    [setLayer],
  )
  useActions(actions)
}

const roomKeys = (rooms: readonly RoomEntry[]): KeyBinding[] =>
  rooms.map(({ id, label, key }) => ({
    keys: `g ${key}`,
    label,
    group: 'Go',
    run: () => navigate(`/${id}`),
  }))

function shellKeys(
  setLayer: (layer: Layer) => void,
  setSide: (change: (isOpen: boolean) => boolean) => void,
): KeyBinding[] {
  const group = 'Everywhere'
  return [
    {
      keys: 'mod+k',
      label: 'Search pages and actions',
      group,
      inFields: true,
      run: () => setLayer('palette'),
    },
    { keys: 'mod+z', label: 'Undo', group, run: () => void undo.undo() },
    { keys: 'mod+shift+z', label: 'Redo', group, run: () => void undo.redo() },
    { keys: 'u', label: 'Changes in this tab', group, run: () => setLayer('changes') },
    { keys: '?', label: 'Show all keys', group, run: () => setLayer('keys') },
    {
      keys: '[',
      label: 'Hide or show the list at the left',
      group,
      run: () => setSide((isOpen) => !isOpen),
    },
  ]
}
