import type { Note } from './monitor.ts'
import { replace } from './replace.ts'

/** Logs which page somebody is on, and that they left. */
export function watchRoutes(note: Note, signal: AbortSignal, settle = 3_000): () => void {
  let last = location.href
  let first: ReturnType<typeof setTimeout> | undefined = setTimeout(begin, settle)
  signal.addEventListener('abort', () => clearTimeout(first))

  function begin(): void {
    if (first === undefined) return
    clearTimeout(first)
    first = undefined
    note('ROUTE', 'Initial Load', { url: last })
  }

  function moved(message: string): void {
    begin()
    last = location.href
    note('ROUTE', message, { url: last })
  }

  addEventListener('popstate', () => moved('Route Changed (Back/Forward)'), { signal })
  addEventListener(
    'pagehide',
    () => {
      begin()
      note('ROUTE', 'Unload', { url: last })
    },
    { signal },
  )
  // Browsers keep a page that was left, and go on with it.
  addEventListener(
    'pageshow',
    ({ persisted }) => {
      if (persisted) moved('Route Changed (Back/Forward)')
    },
    { signal },
  )

  type Change = typeof history.pushState
  const restores = (['pushState', 'replaceState'] as const).map((name) =>
    replace(
      history,
      name,
      (original): Change =>
        (...given) => {
          original.apply(history, given)
          // Routers replace the state of a page that stays the same.
          if (name === 'pushState' || location.href !== last) moved('Route Change')
        },
    ),
  )
  return () => {
    for (const restore of restores) restore()
  }
}
