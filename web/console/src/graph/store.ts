import type { Id } from '@weft/client'
import type { Positions } from '@weft/react/graph-view'
import { useSyncExternalStore } from 'react'
import { client } from '../model/client.ts'
import { notice, undo } from '../model/console.tsx'
import { errorText } from '../model/request.ts'
import { loadNodes } from './api.ts'
import { type Drawing, emptyDrawing, refresh } from './drawing.ts'

/** The drawing, its positions, and the selected node. */
export interface DrawingState {
  readonly drawing: Drawing
  /** Positions that were saved or set by dragging; the layout arranges the other nodes around them. */
  readonly places: Positions | undefined
  readonly selected: Id | undefined
  /** The path of the address for which the drawing was loaded. */
  readonly loadedFor: string
}

/** The number of drawn nodes above which changes by other users are not followed. */
const maxFollowed = 300
/** The number of drawn nodes above which the drawing is not read again after a change. */
const maxRefreshed = 2_000
/** Time after a change of a drawn node until the drawing is read again, in milliseconds. */
const refreshDelay = 300

let state: DrawingState = {
  drawing: emptyDrawing,
  places: undefined,
  selected: undefined,
  loadedFor: '',
}
const listeners = new Set<() => void>()
let watched = new Map<Id, () => void>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Returns the drawing, which stays the same while other rooms are open. */
export const useDrawing = (): DrawingState => useSyncExternalStore(subscribe, getDrawing)

/** Returns the current drawing. */
export const getDrawing = (): DrawingState => state

/** Replaces parts of the state. */
export function setDrawing(changes: Partial<DrawingState>): void {
  state = { ...state, ...changes }
  follow()
  for (const listener of listeners) listener()
}

/** Selects a node. */
export const select = (selected: Id | undefined): void => setDrawing({ selected })

/** Changes the drawing and pushes the change onto the undo list. Does nothing if the drawing stays the same. */
export function changeDrawing(label: string, next: Drawing, places = state.places): void {
  const before = { drawing: state.drawing, places: state.places }
  const after = { drawing: next, places }
  if (next === before.drawing && places === before.places) return
  setDrawing(after)
  undo.push({ label, undo: () => restore(before), redo: () => restore(after) })
  refreshSoon()
}

function restore(changes: Pick<DrawingState, 'drawing' | 'places'>): void {
  setDrawing(changes)
  refreshSoon()
}

/** Reads the drawn nodes and the links between them again after a delay. Calls during the delay restart it. */
export function refreshSoon(delay = refreshDelay): void {
  clearTimeout(timer)
  timer = setTimeout(() => void refreshNow(), delay)
}

async function refreshNow(): Promise<void> {
  const ids = [...state.drawing.nodes.keys()]
  if (ids.length === 0 || ids.length > maxRefreshed || listeners.size === 0) return
  try {
    const current = await loadNodes(ids.filter((id) => id > 0))
    const known = new Set(ids)
    const isUnchanged = [...state.drawing.nodes.keys()].every((id) => known.has(id))
    if (!isUnchanged) return refreshSoon()
    setDrawing({ drawing: refresh(state.drawing, current) })
  } catch (error) {
    notice.set(`The drawing could not be read again. ${errorText(error)}`)
  }
}

/** Watches the drawn nodes for changes by other tabs and users. */
function follow(): void {
  const { nodes } = state.drawing
  const wanted = nodes.size <= maxFollowed && listeners.size > 0 ? [...nodes.keys()] : []
  const next = new Map<Id, () => void>()
  for (const id of wanted) {
    const stop = watched.get(id) ?? client.onRemoteChange(id, () => refreshSoon())
    watched.delete(id)
    next.set(id, stop)
  }
  for (const stop of watched.values()) stop()
  watched = next
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (listeners.size === 1) follow()
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) follow()
  }
}
