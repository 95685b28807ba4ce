import type { KeyboardEvent } from 'react'
import { type KeyBinding, nameOf } from '../model/keys.ts'
import type { GridActions } from './use-grid-actions.ts'

/** How many rows Page Up and Page Down move. */
const pageRows = 20

const arrows: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  arrowup: [-1, 0],
  arrowdown: [1, 0],
  arrowleft: [0, -1],
  arrowright: [0, 1],
  pageup: [-pageRows, 0],
  pagedown: [pageRows, 0],
  home: [0, -Number.MAX_SAFE_INTEGER],
  end: [0, Number.MAX_SAFE_INTEGER],
}

/** Handles a key in a grid. While a cell is edited, its editor handles the keys; Escape ends editing in any case. */
export function gridKeys(event: KeyboardEvent, actions: GridActions, isEditing: boolean): void {
  if (event.target !== event.currentTarget) return
  const name = nameOf(event.nativeEvent)
  if (isEditing) {
    if (name === 'escape') actions.cancel()
    return
  }
  const key = name.split('+').at(-1) ?? ''
  const arrow = arrows[key]
  if (arrow && !event.altKey) {
    const [rows, columns] = arrow
    actions.move({ rows, columns, toEdge: name.includes('mod+'), extends: event.shiftKey })
  } else if (!runNamed(name, actions)) {
    const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!isText || reserved.has(event.key)) return
    actions.edit(event.key)
  }
  event.preventDefault()
}

/** Characters that are keys of the console and therefore do not start editing. */
const reserved: ReadonlySet<string> = new Set(['?', '/', '[', ']'])

function runNamed(name: string, actions: GridActions): boolean {
  const run = named[name]
  run?.(actions)
  return run !== undefined
}

const named: Readonly<Record<string, (actions: GridActions) => void>> = {
  enter: (actions) => actions.edit(undefined),
  f2: (actions) => actions.edit(undefined),
  delete: (actions) => actions.clear(),
  backspace: (actions) => actions.clear(),
  space: (actions) => actions.open('beside'),
  'shift+enter': (actions) => actions.open('page'),
  'mod+a': (actions) => actions.selectAll(),
  'mod+d': (actions) => actions.fillDown(),
  'mod+backspace': (actions) => actions.removeRecords(),
  'mod+delete': (actions) => actions.removeRecords(),
}

const listed = (keys: string, label: string): KeyBinding => ({
  ...{ keys, label, group: 'Grid', isListedOnly: true },
  run: () => undefined,
})

/** The keys of a grid, for the sheet of keys. */
export const gridBindings: readonly KeyBinding[] = [
  listed('arrowup arrowdown arrowleft arrowright', 'Move'),
  listed('shift+arrowdown', 'Extend the selection'),
  listed('mod+arrowdown', 'Go to the edge'),
  listed('mod+a', 'Select all'),
  listed('enter', 'Edit; a letter replaces the value'),
  listed('tab', 'Save, and go to the next cell'),
  listed('mod+enter', 'Save in the whole selection'),
  listed('escape', 'Restore the value'),
  listed('delete', 'Remove the values'),
  listed('mod+c', 'Copy'),
  listed('mod+x', 'Cut'),
  listed('mod+v', 'Paste'),
  listed('mod+d', 'Fill down'),
  listed('space', 'Open the record next to the grid'),
  listed('shift+enter', 'Open the record as a page'),
  listed('mod+backspace', 'Delete the selected records'),
]
