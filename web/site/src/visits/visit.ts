/**
 * Records events of the visit for the page that shows them: pages, clicks, paints, layout shifts and errors.
 * Recording starts when that page is first opened and continues until the tab is closed. The events stay in the
 * tab's sessionStorage; send.ts sends them to the server if the visitor asks for it.
 */
import { onNavigated } from '../navigation.ts'

export type EventKind = 'page' | 'click' | 'paint' | 'shift' | 'error' | 'visibility'

/** One event of the visit. */
export interface VisitEvent {
  /** Counts up from 1. */
  readonly number: number
  readonly kind: EventKind
  /** Milliseconds since 1970. */
  readonly time: number
  readonly text: string
  /** Milliseconds since navigation for paints; the score for layout shifts. */
  readonly value?: number
}

/** The recorded events, oldest first. The object changes only when an event is added or the list is cleared. */
export interface Visit {
  readonly events: readonly VisitEvent[]
  /** The number of old events that were dropped. */
  readonly dropped: number
}

const storageKey = 'weft-visit-2'
const maxEvents = 500
/** Maximum number of characters of the text of a clicked element. */
const maxClickText = 50
const maxErrorText = 200

let visit = loadVisit()
let listeners: readonly (() => void)[] = []

export const currentVisit = (): Visit => visit

/** Subscribes to changes. The first subscription starts the recording. */
export function subscribe(listener: () => void): () => void {
  startRecording()
  listeners = [...listeners, listener]
  return () => {
    listeners = listeners.filter((other) => other !== listener)
  }
}

export const clearVisit = (): void => setVisit({ events: [], dropped: 0 })

function addEvent(kind: EventKind, text: string, value?: number): void {
  const number = (visit.events.at(-1)?.number ?? 0) + 1
  const event = { number, kind, time: Date.now(), text, ...(value !== undefined && { value }) }
  const all = [...visit.events, event]
  const excess = Math.max(0, all.length - maxEvents)
  setVisit({ events: all.slice(excess), dropped: visit.dropped + excess })
}

function setVisit(next: Visit): void {
  visit = next
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(next))
  } catch {
    // Storage is disabled or full: the events are lost when the document is closed.
  }
  for (const listener of listeners) listener()
}

function loadVisit(): Visit {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? '') as Visit
    if (Array.isArray(stored.events)) return stored
  } catch {
    // No visit is stored yet.
  }
  return { events: [], dropped: 0 }
}

let isRecording = false

/** Starts recording, once per document. */
function startRecording(): void {
  if (isRecording) return
  isRecording = true
  addEvent('page', location.pathname)
  recordPages()
  recordClicks()
  recordPaints()
  recordErrors()
  document.addEventListener('visibilitychange', () =>
    addEvent('visibility', document.hidden ? 'hidden' : 'visible again'),
  )
}

/** Records paths only: the query string may contain personal data. */
function recordPages(): void {
  let path = location.pathname
  onNavigated(() => {
    if (location.pathname === path) return
    path = location.pathname
    addEvent('page', path)
  })
}

function recordClicks(): void {
  const recordClick = ({ target }: MouseEvent) => {
    const control = target instanceof Element ? target.closest('a, button, summary, label') : null
    if (control === null) return
    const label = (control.getAttribute('aria-label') ?? control.textContent ?? '').trim()
    const text = label.replace(/\s+/g, ' ').slice(0, maxClickText) || control.localName
    setTimeout(() => addEvent('click', text)) // after a clicked checkbox has changed: adding an event rerenders it
  }
  document.addEventListener('click', recordClick, { capture: true })
}

export const firstPaint = 'first paint'
export const largestPaint = 'largest paint'

function recordPaints(): void {
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') addEvent('paint', firstPaint, startTime)
  })
  observe('largest-contentful-paint', ({ startTime }) => addEvent('paint', largestPaint, startTime))
  observe('layout-shift', (entry) => {
    const { value, hadRecentInput } = entry as LayoutShift
    if (!hadRecentInput && value >= 0.001) addEvent('shift', 'layout shift', value)
  })
}

type LayoutShift = PerformanceEntry & { readonly value: number; readonly hadRecentInput: boolean }

/** Observes performance entries, including earlier ones. Does nothing if the browser does not support the type. */
function observe(type: string, onEntry: (entry: PerformanceEntry) => void): void {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(onEntry))
  observer.observe({ type, buffered: true })
}

function recordErrors(): void {
  window.addEventListener('error', ({ message }) =>
    addEvent('error', message.slice(0, maxErrorText)),
  )
  window.addEventListener('unhandledrejection', ({ reason }) =>
    addEvent('error', String(reason).slice(0, maxErrorText)),
  )
}
