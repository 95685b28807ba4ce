/**
 * Client-side navigation. The browser's history is the state; this module adds a key to each entry, so that the
 * scroll position and focus of an entry can be restored.
 *
 *   link click ─▶ useInternalLinks ─▶ navigate ─┐
 *   back, forward ─▶ popstate ──────────────────┴▶ before-leave listeners ─▶ location changes ─▶ React renders
 */
import { useSyncExternalStore } from 'react'

/** The current address within the site. */
export interface SiteLocation {
  /** The path without a trailing slash, which is the slug of a page. */
  readonly path: string
  readonly search: string
  readonly hash: string
  /** Identifies the history entry. Going back to an entry finds the same key. */
  readonly key: string
  /** True for the first document and after back or forward; false after following a link. */
  readonly isRestored: boolean
}

/** Returns the current address, and renders again when it changes. */
export function useSiteLocation(): SiteLocation {
  return useSyncExternalStore(onNavigated, getLocation, getLocation)
}

/** Goes to an address of this site without loading a new document. */
export function navigate(to: string, mode: 'push' | 'replace' = 'push'): void {
  notifyBeforeLeave()
  const state = { key: newKey() }
  if (mode === 'push') history.pushState(state, '', to)
  else history.replaceState(state, '', to)
  updateLocation(false)
}

/** Subscribes to navigation. Calls the listener as soon as the location has changed. */
export function onNavigated(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Subscribes to navigation. Calls the listener while the old page is still visible. */
export function onBeforeLeave(listener: (from: SiteLocation) => void): () => void {
  leaveListeners.add(listener)
  return () => leaveListeners.delete(listener)
}

/** Notifies the before-leave listeners. Only needed for links that the browser follows itself. */
export function notifyBeforeLeave(): void {
  for (const listener of leaveListeners) listener(current)
}

/** Returns the slug of a path. */
export function slugOf(pathname: string): string {
  return pathname.replace(/(?<=.)\/+$/, '')
}

const getLocation = () => current
const listeners = new Set<() => void>()
const leaveListeners = new Set<(from: SiteLocation) => void>()
let current = readLocation(true)
window.addEventListener('popstate', () => {
  if (keyOf(history.state) !== undefined) notifyBeforeLeave()
  updateLocation(true)
})
// The browser restores the scroll position of documents; this site restores the scroll position of pages within a document.
history.scrollRestoration = 'manual'
window.addEventListener('pagehide', () => {
  history.scrollRestoration = 'auto'
})
window.addEventListener('pageshow', () => {
  history.scrollRestoration = 'manual'
})

function updateLocation(isRestored: boolean): void {
  current = readLocation(isRestored)
  for (const listener of listeners) listener()
}

function readLocation(isRestored: boolean): SiteLocation {
  const { pathname, search, hash } = location
  return { path: slugOf(pathname), search, hash, key: currentKey(), isRestored }
}

/** Returns the key of the current history entry. Entries created by the browser, such as for `#id` links, get a key. */
function currentKey(): string {
  const key = keyOf(history.state)
  if (key !== undefined) return key
  const created = newKey()
  history.replaceState({ key: created }, '')
  return created
}

function keyOf(state: { key?: unknown } | null): string | undefined {
  return typeof state?.key === 'string' ? state.key : undefined
}

function newKey(): string {
  return Math.random().toString(36).slice(2)
}
