import { useSyncExternalStore } from 'react'

/** Where the reader is in the site. */
export interface Place {
  /** Without a slash at its end: the slug of a page. */
  readonly path: string
  readonly search: string
  readonly hash: string
  /** Names the visit: going back finds the same one. */
  readonly key: string
  /** Whether the reader came by the browser's own back and forward, or the document did. */
  readonly returned: boolean
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, now, now)
}

/** Goes to an address of this site without loading the document again. */
export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  leave()
  const state = { key: newKey() }
  if (how === 'push') history.pushState(state, '', to)
  else history.replaceState(state, '', to)
  settle(false)
}

/** Calls back before the reader leaves a place, while its page is still drawn. */
export function onLeave(left: (from: Place) => void): () => void {
  leaving.add(left)
  return () => leaving.delete(left)
}

/** Says that the reader is about to leave; for links that the browser follows itself. */
export function leave(): void {
  for (const left of leaving) left(place)
}

/** The slug that an address names. */
export function slugOf(pathname: string): string {
  return pathname.replace(/(?<=.)\/+$/, '')
}

const now = () => place
const listeners = new Set<() => void>()
const leaving = new Set<(from: Place) => void>()
let place = here(true)
window.addEventListener('popstate', () => {
  if (keyIn(history.state) !== undefined) leave()
  settle(true)
})
// What was read of a document is the browser's to restore, what was read of a page is ours.
history.scrollRestoration = 'manual'
window.addEventListener('pagehide', () => {
  history.scrollRestoration = 'auto'
})
window.addEventListener('pageshow', () => {
  history.scrollRestoration = 'manual'
})

function settle(returned: boolean): void {
  place = here(returned)
  for (const changed of listeners) changed()
}

function here(returned: boolean): Place {
  const { pathname, search, hash } = location
  return { path: slugOf(pathname), search, hash, key: keyHere(), returned }
}

/** Places that the browser made, as for a link to a heading, have no key yet. */
function keyHere(): string {
  const key = keyIn(history.state)
  if (key !== undefined) return key
  const made = newKey()
  history.replaceState({ key: made }, '')
  return made
}

function keyIn(state: { key?: unknown } | null): string | undefined {
  return typeof state?.key === 'string' ? state.key : undefined
}

function newKey(): string {
  return Math.random().toString(36).slice(2)
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}
