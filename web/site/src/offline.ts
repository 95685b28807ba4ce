/** Lets the service worker keep the pages and their assets, so that a reload works without a network. */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/sw.js').catch(() => {
      // A browser may refuse, in private windows for one. Everything but the offline reload works.
    })
  })
}
