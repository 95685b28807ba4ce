import { useSyncExternalStore } from 'react'

/** Whether this device has a network, as far as it knows. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, isOnline, isOnline)
}

const isOnline = () => navigator.onLine

function subscribe(changed: () => void): () => void {
  window.addEventListener('online', changed)
  window.addEventListener('offline', changed)
  return () => {
    window.removeEventListener('online', changed)
    window.removeEventListener('offline', changed)
  }
}
