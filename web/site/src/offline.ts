/** Lets the service worker keep the site, so that it opens without a network. */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/sw.js').then(tellWhatIsHere, () => {
      // A browser may refuse, in private windows for one. Everything but the offline reload works.
    })
  })
}

/** What the first visit has loaded, the worker was not there to keep. */
async function tellWhatIsHere(): Promise<void> {
  const { active } = await navigator.serviceWorker.ready
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name))
  const own = loaded.filter(({ origin }) => origin === location.origin)
  active?.postMessage({ assets: own.map(({ pathname }) => pathname) })
}
