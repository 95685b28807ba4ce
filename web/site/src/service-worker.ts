/** Registers the service worker, which stores the site for offline use. */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/sw.js').then(reportLoadedAssets, () => {
      // Browsers may refuse, for example in private windows. Without the worker, only offline reloads are missing.
    })
  })
}

/** Sends the worker the assets that were loaded before it was active. */
async function reportLoadedAssets(): Promise<void> {
  const { active } = await navigator.serviceWorker.ready
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name))
  const own = loaded.filter(({ origin }) => origin === location.origin)
  active?.postMessage({ assets: own.map(({ pathname }) => pathname) })
}
