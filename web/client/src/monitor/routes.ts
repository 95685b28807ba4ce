import type { Logger } from '../logger/index.ts'
import { replaceMember } from './replace.ts'

/**
 * Logs page loads, route changes and unloads. The first page is logged after `initialDelay` milliseconds, or just
 * before the first other entry. Returns a function that restores the history.
 */
export function watchRoutes(
  log: Logger['logApplication'],
  signal: AbortSignal,
  initialDelay = 3_000,
): () => void {
  let url = location.href
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(logInitialLoad, initialDelay)
  signal.addEventListener('abort', () => clearTimeout(timer))

  function logInitialLoad(): void {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    log('ROUTE', 'Initial Load', { url })
  }

  function logChange(message: string): void {
    logInitialLoad()
    url = location.href
    log('ROUTE', message, { url })
  }

  addEventListener('popstate', () => logChange('Route Changed (Back/Forward)'), { signal })
  addEventListener(
    'pagehide',
    () => {
      logInitialLoad()
      log('ROUTE', 'Unload', { url })
    },
    { signal },
  )
  // The page was restored from the back/forward cache.
  addEventListener(
    'pageshow',
    ({ persisted }) => {
      if (persisted) logChange('Route Changed (Back/Forward)')
    },
    { signal },
  )
  const restores = (['pushState', 'replaceState'] as const).map((name) =>
    replaceMember(history, name, (original): History['pushState'] => (...args) => {
      original.apply(history, args)
      // Routers also call `replaceState` to change the state of an unchanged URL.
      if (name === 'pushState' || location.href !== url) logChange('Route Change')
    }),
  )
  return () => {
    for (const restore of restores) restore()
  }
}
