import { useSyncExternalStore } from 'react'

/** Reports whether the browser has a network connection. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, isOnline, isOnline)
}

const isOnline = () => navigator.onLine

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
