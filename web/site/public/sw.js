// Keeps the site for reloads without a network. The graph's own data is the client library's business:
// nothing under /api/ passes through here, except stored pages.

const kept = 'weft-site'
const slugs = ['/', '/about', '/contact', '/demo', '/404']
const pages = [...slugs, ...slugs.map((slug) => `/api/v1/pages?slug=${encodeURIComponent(slug)}`)]
const manifest = '/assets/manifest.json'

self.addEventListener('install', (event) => {
  event.waitUntil(keepAll().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin) return
  if (request.mode === 'navigate') {
    event.respondWith(newest(request, '/404'))
    event.waitUntil(keepAssets())
  } else if (url.pathname.startsWith('/assets/') && url.pathname !== manifest) {
    event.respondWith(fixed(request))
  } else if (url.pathname === '/api/v1/pages' || !url.pathname.startsWith('/api/')) {
    event.respondWith(newest(request))
  }
})

/** The network's answer, or the one it gave last, or, for an address without one, another page. */
async function newest(request, otherwise) {
  const cache = await caches.open(kept)
  try {
    const response = await fetch(request)
    if (response.ok) await cache.put(request, response.clone())
    return response
  } catch (error) {
    const last = (await cache.match(request)) ?? (otherwise && (await cache.match(otherwise)))
    if (last) return last
    throw error
  }
}

/** An asset's name changes with its content, so the first answer is good for ever. */
async function fixed(request) {
  const cache = await caches.open(kept)
  const known = await cache.match(request)
  if (known) return known
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

async function keepAll() {
  const cache = await caches.open(kept)
  await cache.addAll([...pages, '/theme.js'])
  await keepAssets()
}

/** Fetches the assets of the current build that are not here, and drops those of older ones. */
async function keepAssets() {
  const response = await fetch(manifest).catch(() => undefined)
  if (!response?.ok) return
  const current = new Set()
  for (const entry of Object.values(await response.json())) {
    for (const file of [entry.file, ...(entry.css ?? []), ...(entry.assets ?? [])])
      current.add(`/${file}`)
  }
  const cache = await caches.open(kept)
  const here = new Set()
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith('/assets/')) continue
    if (current.has(pathname)) here.add(pathname)
    else await cache.delete(request)
  }
  await cache.addAll([...current].filter((file) => !here.has(file)))
}
