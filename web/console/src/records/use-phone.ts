import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 48rem)')

/** Reports whether the window has the width of a phone. */
export function usePhone(): boolean {
  return useSyncExternalStore(
    (changed) => {
      narrow.addEventListener('change', changed)
      return () => narrow.removeEventListener('change', changed)
    },
    () => narrow.matches,
  )
}
