/**
 * The service worker of the site. It stores the site for offline reading: all pages, their assets, and the
 * applications that were used. It never stores private responses: under /api/ it stores only /api/v1/pages, whose
 * responses are the same for all readers. The client library stores the data of applications.
 *
 *   request                 response                                 cost
 *   page                    network, else cache, else /404           one request
 *   /theme.js, icon         network, else cache                      one request
 *   /api/v1/pages           network, else cache                      one request
 *   /assets/…               cache, else network                      none after the first request
 *   other                   not handled
 *
 * After each navigation, keepSite fetches the build manifest and the sitemap. It fetches the whole site only if one of
 * them has changed.
 */

const cacheName = 'weft-site-2'
const manifestPath = '/assets/manifest.json'
const sitemapPath = '/sitemap.xml'
/** Pages that may be missing from the sitemap. */
const unlistedPages = ['/', '/freeschema-data-fabric', '/404', '/login', '/account']
const fixedFiles = ['/theme.js', '/favicon.svg']
const parallelFetches = 3

self.addEventListener('install', (event) => {
  event.waitUntil(keepSite().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    Promise.all([
      self.registration.navigationPreload?.enable(),
      deleteOldCaches(),
      self.clients.claim(),
    ]),
  )
})

/** A page reports the assets it loaded before this worker was active. */
self.addEventListener('message', (event) => {
  const { assets = [] } = event.data ?? {}
  event.waitUntil(fetchIntoCache(assets.filter(isAsset)))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate') {
    if (pathname.startsWith('/api/') || pathname === '/docs/search') return
    event.respondWith(networkFirst(pathname, event.preloadResponse, request))
    event.waitUntil(keepSite())
  } else if (pathname === '/api/v1/pages') {
    event.respondWith(networkFirst(request.url, undefined, request))
  } else if (isAsset(pathname)) {
    event.respondWith(cacheFirst(request))
  } else if (fixedFiles.includes(pathname)) {
    event.respondWith(networkFirst(pathname, undefined, request))
  }
})

/** Responds from the network, else from the cache. Unknown pages get the 404 page, which loads the application. */
async function networkFirst(key, preloaded, request) {
  try {
    const response = (await preloaded) ?? (await fetch(request))
    if (isPublic(response)) await (await caches.open(cacheName)).put(key, response.clone())
    return response
  } catch (error) {
    const cache = await caches.open(cacheName)
    const cached =
      (await cache.match(key)) ?? (request.mode === 'navigate' && (await cache.match('/404')))
    if (cached) return cached
    throw error
  }
}

/** Responds from the cache, else from the network. The name of an asset changes with its content. */
async function cacheFirst(request) {
  const cache = await caches.open(cacheName)
  const cached = await cache.match(request)
  if (cached) return cached
  const response = await fetch(request)
  if (isPublic(response)) await cache.put(request, response.clone())
  return response
}

/** Updates the stored site if the build or the list of pages has changed. */
async function keepSite() {
  const cache = await caches.open(cacheName)
  const [oldManifest, oldSitemap] = await Promise.all([
    cachedText(cache, manifestPath),
    cachedText(cache, sitemapPath),
  ])
  const [manifest, sitemap] = await Promise.all([fetchText(manifestPath), fetchText(sitemapPath)])
  if (manifest === oldManifest && sitemap === oldSitemap) return
  const usedModules = await cachedModules(cache, oldManifest)
  const assets = new Set(neededAssets(JSON.parse(manifest ?? oldManifest ?? '{}'), usedModules))
  await fetchIntoCache([...assets, ...fixedFiles, ...pageAddresses(sitemap)])
  await deleteOldAssets(cache, assets)
  if (manifest) await cache.put(manifestPath, new Response(manifest))
  if (sitemap) await cache.put(sitemapPath, new Response(sitemap))
}

/** Returns two addresses per page: the document, and the data for navigation within the site. */
function pageAddresses(sitemap) {
  const listed = [...(sitemap ?? '').matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => {
    return new URL(address, location.origin).pathname
  })
  // Pages under /docs are not fetched here: they are stored when they are visited, and have no data for navigation.
  const sitePages = listed.filter((path) => !/^\/docs(\/|$)/.test(path))
  const slugs = [...new Set([...unlistedPages, ...sitePages])]
  return [...slugs, ...slugs.map((slug) => `/api/v1/pages?slug=${encodeURIComponent(slug)}`)]
}

/**
 * Returns the files that all pages need, all style sheets, and the files of the used modules. Applications are large, so
 * their modules (the dynamic imports of the site's own folders) are included only if they were used before.
 */
function neededAssets(manifest, usedModules) {
  const files = []
  const visited = new Set()
  const visit = (name) => {
    const entry = manifest[name]
    if (!entry || visited.has(name)) return
    visited.add(name)
    for (const file of [entry.file, ...(entry.css ?? []), ...(entry.assets ?? [])])
      files.push(`/${file}`)
    for (const imported of entry.imports ?? []) visit(imported)
    for (const imported of entry.dynamicImports ?? [])
      if (!imported.startsWith('src/')) visit(imported)
  }
  for (const [name, entry] of Object.entries(manifest)) if (entry.isEntry) visit(name)
  for (const name of usedModules) visit(name)
  for (const { file } of Object.values(manifest)) if (/\.css$/.test(file)) files.push(`/${file}`)
  return files
}

/** Returns the names of those modules in a manifest whose files are in the cache. */
async function cachedModules(cache, manifest) {
  const paths = new Set((await cache.keys()).map((request) => new URL(request.url).pathname))
  const modules = Object.entries(JSON.parse(manifest ?? '{}'))
  return modules.filter(([, { file }]) => paths.has(`/${file}`)).map(([name]) => name)
}

/** Fetches `parallelFetches` addresses at a time, with low priority. Failed requests are skipped until the next update. */
async function fetchIntoCache(addresses) {
  const cache = await caches.open(cacheName)
  const queue = [...addresses]
  const fetchNext = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (isAsset(next) && (await cache.match(next))) continue
      const response = await fetch(next, { priority: 'low' }).catch(() => undefined)
      if (response && (isPublic(response) || next === '/404')) await cache.put(next, response)
    }
  }
  await Promise.all(Array.from({ length: parallelFetches }, fetchNext))
}

async function deleteOldAssets(cache, current) {
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (isAsset(pathname) && !current.has(pathname)) await cache.delete(request)
  }
}

async function deleteOldCaches() {
  for (const name of await caches.keys())
    if (name.startsWith('weft-site') && name !== cacheName) await caches.delete(name)
}

const isAsset = (pathname) => pathname.startsWith('/assets/') && pathname !== manifestPath

const isPublic = (response) =>
  response.ok && !/no-store|private/.test(response.headers.get('Cache-Control') ?? '')

const cachedText = async (cache, name) => (await cache.match(name))?.text()

const fetchText = async (address) => {
  const response = await fetch(address).catch(() => undefined)
  return response?.ok ? response.text() : undefined
}
