/** One thing that happened in this visit. */
export interface Happening {
  readonly nth: number
  readonly kind: Kind
  /** Milliseconds since 1970. */
  readonly at: number
  readonly says: string
  /** Milliseconds for paints; the score for shifts. */
  readonly value?: number
}

export type Kind = 'page' | 'click' | 'paint' | 'shift' | 'error' | 'seen'

/** What is kept of one visit, oldest first. The same object until something happens. */
export interface Visit {
  readonly happenings: readonly Happening[]
  /** How many were dropped because there were too many. */
  readonly dropped: number
}

const name = 'weft-visit'
const most = 500
/** How much of a text that was clicked is kept. */
const mostText = 50

let visit = recalled()
let listeners: readonly (() => void)[] = []

export const latest = (): Visit => visit

export function subscribe(changed: () => void): () => void {
  record()
  listeners = [...listeners, changed]
  return () => {
    listeners = listeners.filter((other) => other !== changed)
  }
}

export const clear = (): void => become({ happenings: [], dropped: 0 })

function add(kind: Kind, says: string, value?: number): void {
  const nth = (visit.happenings.at(-1)?.nth ?? 0) + 1
  const one = { nth, kind, at: Date.now(), says, ...(value !== undefined && { value }) }
  const all = [...visit.happenings, one]
  const over = Math.max(0, all.length - most)
  become({ happenings: all.slice(over), dropped: visit.dropped + over })
}

function become(next: Visit): void {
  visit = next
  try {
    sessionStorage.setItem(name, JSON.stringify(next))
  } catch {
    // Storage is switched off or full: the visit lasts as long as the document.
  }
  for (const changed of listeners) changed()
}

function recalled(): Visit {
  try {
    const kept = JSON.parse(sessionStorage.getItem(name) ?? '') as Visit
    if (Array.isArray(kept.happenings)) return kept
  } catch {
    // There is none yet.
  }
  return { happenings: [], dropped: 0 }
}

let recording = false

/** Begins once in a document, and goes on while one walks through the site. */
function record(): void {
  if (recording) return
  recording = true
  add('page', location.pathname)
  followPages()
  followClicks()
  followPaints()
  followErrors()
  document.addEventListener('visibilitychange', () =>
    add('seen', document.hidden ? 'out of sight' : 'in sight again'),
  )
}

/** Only the path: what stands behind it may be about people. */
function followPages(): void {
  let path = location.pathname
  const look = () => {
    if (location.pathname === path) return
    path = location.pathname
    add('page', path)
  }
  window.addEventListener('popstate', look)
  document.addEventListener('click', () => setTimeout(look))
  document.addEventListener('keyup', () => setTimeout(look))
}

function followClicks(): void {
  const click = ({ target }: MouseEvent) => {
    const found = target instanceof Element ? target.closest('a, button, summary, label') : null
    if (found === null) return
    const text = (found.getAttribute('aria-label') ?? found.textContent ?? '').trim()
    const says = text.replace(/\s+/g, ' ').slice(0, mostText) || found.localName
    setTimeout(() => add('click', says)) // a box that is ticked must not be drawn anew before it is
  }
  document.addEventListener('click', click, { capture: true })
}

function followPaints(): void {
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') add('paint', 'first paint', startTime)
  })
  observe('largest-contentful-paint', ({ startTime }) => add('paint', 'largest paint', startTime))
  observe('layout-shift', (entry) => {
    const { value, hadRecentInput } = entry as Shift
    if (!hadRecentInput && value >= 0.001) add('shift', 'layout shift', value)
  })
}

type Shift = PerformanceEntry & { readonly value: number; readonly hadRecentInput: boolean }

/** Tells of what happened before, too. A browser that does not know the type tells of nothing. */
function observe(type: string, told: (entry: PerformanceEntry) => void): void {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(told))
  observer.observe({ type, buffered: true })
}

function followErrors(): void {
  window.addEventListener('error', ({ message }) => add('error', message.slice(0, 200)))
  window.addEventListener('unhandledrejection', ({ reason }) =>
    add('error', String(reason).slice(0, 200)),
  )
}
