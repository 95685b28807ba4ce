// Keeps the site for reading without a network: every page, what they are drawn with, and the applications
// that were used. The graph's own data is the client library's business, and nobody's private answers pass
// through here: of what is under /api/ only stored pages are kept, which are the same for everybody.

const kept = 'weft-site-2'
const manifest = '/assets/manifest.json'
const sitemap = '/sitemap.xml'
/** Pages that the map for search engines may leave out. */
const unlisted = ['/', '/freeschema-data-fabric', '/404', '/login', '/account']
const fixtures = ['/theme.js', '/favicon.svg']

self.addEventListener('install', (event) => {
  event.waitUntil(keepSite().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    Promise.all([
      self.registration.navigationPreload?.enable(),
      forgetOthers(),
      self.clients.claim(),
    ]),
  )
})

/** A page tells which assets it has loaded before this worker was there to see. */
self.addEventListener('message', (event) => {
  const { assets = [] } = event.data ?? {}
  event.waitUntil(keep(assets.filter(isAsset)))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate') {
    if (pathname.startsWith('/api/')) return
    event.respondWith(newest(pathname, event.preloadResponse, request))
    event.waitUntil(keepSite())
  } else if (pathname === '/api/v1/pages') {
    event.respondWith(newest(request.url, undefined, request))
  } else if (isAsset(pathname)) {
    event.respondWith(fixed(request))
  } else if (fixtures.includes(pathname)) {
    event.respondWith(newest(pathname, undefined, request))
  }
})

/** The network's answer, or the one it gave last, or a document in which the application says that there is none. */
async function newest(name, preloaded, request) {
  try {
    const response = (await preloaded) ?? (await fetch(request))
    if (isPublic(response)) await (await caches.open(kept)).put(name, response.clone())
    return response
  } catch (error) {
    const cache = await caches.open(kept)
    const last =
      (await cache.match(name)) ?? (request.mode === 'navigate' && (await cache.match('/404')))
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
  if (isPublic(response)) await cache.put(request, response.clone())
  return response
}

/** Fetches the site if there is another build or another list of pages than the last time. */
async function keepSite() {
  const cache = await caches.open(kept)
  const [before, pagesBefore] = await Promise.all([textIn(cache, manifest), textIn(cache, sitemap)])
  const [after, pages] = await Promise.all([textOf(manifest), textOf(sitemap)])
  if (after === before && pages === pagesBefore) return
  const used = await usedBefore(cache, before)
  const assets = new Set(drawnWith(JSON.parse(after ?? before ?? '{}'), used))
  await keep([...assets, ...fixtures, ...addresses(pages)])
  await forgetAssets(cache, assets)
  if (after) await cache.put(manifest, new Response(after))
  if (pages) await cache.put(sitemap, new Response(pages))
}

/** Each page as a document, for whoever opens it, and as data, for who comes from another page. */
function addresses(sitemap) {
  const listed = [...(sitemap ?? '').matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => {
    return new URL(address, location.origin).pathname
  })
  const slugs = [...new Set([...unlisted, ...listed])]
  return [...slugs, ...slugs.map((slug) => `/api/v1/pages?slug=${encodeURIComponent(slug)}`)]
}

/**
 * The files behind every page, and behind the applications that were used. Applications are what is loaded
 * from the site's own folders on demand; they are many, and large.
 */
function drawnWith(build, used) {
  const files = []
  const seen = new Set()
  const visit = (name) => {
    const entry = build[name]
    if (!entry || seen.has(name)) return
    seen.add(name)
    for (const file of [entry.file, ...(entry.css ?? []), ...(entry.assets ?? [])])
      files.push(`/${file}`)
    for (const inner of entry.imports ?? []) visit(inner)
    for (const inner of entry.dynamicImports ?? []) if (!inner.startsWith('src/')) visit(inner)
  }
  for (const [name, entry] of Object.entries(build)) if (entry.isEntry) visit(name)
  for (const name of used) visit(name)
  for (const { file } of Object.values(build)) if (/\.css$/.test(file)) files.push(`/${file}`)
  return files
}

/** The parts of the build before whose files are here. */
async function usedBefore(cache, before) {
  const here = new Set((await cache.keys()).map((request) => new URL(request.url).pathname))
  const parts = Object.entries(JSON.parse(before ?? '{}'))
  return parts.filter(([, { file }]) => here.has(`/${file}`)).map(([name]) => name)
}

/** Fetches a few at a time, after what the page itself needs. What does not come is left for the next time. */
async function keep(addresses) {
  const cache = await caches.open(kept)
  const waiting = [...addresses]
  const fetchNext = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (isAsset(next) && (await cache.match(next))) continue
      const response = await fetch(next, { priority: 'low' }).catch(() => undefined)
      if (response && (isPublic(response) || next === '/404')) await cache.put(next, response)
    }
  }
  await Promise.all([fetchNext(), fetchNext(), fetchNext()])
}

async function forgetAssets(cache, current) {
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (isAsset(pathname) && !current.has(pathname)) await cache.delete(request)
  }
}

async function forgetOthers() {
  for (const name of await caches.keys())
    if (name.startsWith('weft-site') && name !== kept) await caches.delete(name)
}

const isAsset = (pathname) => pathname.startsWith('/assets/') && pathname !== manifest

const isPublic = (response) =>
  response.ok && !/no-store|private/.test(response.headers.get('Cache-Control') ?? '')

const textIn = async (cache, name) => (await cache.match(name))?.text()

const textOf = async (address) => {
  const response = await fetch(address).catch(() => undefined)
  return response?.ok ? response.text() : undefined
}
