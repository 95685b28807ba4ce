import { type Client, createClient } from '../../src/index.ts'
import { internalsOf } from '../../src/internals.ts'
import { registerWorker, type WorkerHandle, type WorkerOptions } from '../../src/worker/index.ts'

declare global {
  interface Window {
    client: Client
    handle: WorkerHandle
    /** Number of times the worker requested a new token. */
    renewals: number
    /** Sends a request as the client does: through the worker once it is ready. */
    request: typeof fetch
  }
}

/**
 * The settings of a test, from the URL: the server, the options of the worker, the token, and the result of its
 * renewal.
 */
const settings = new URLSearchParams(location.search)
const options: WorkerOptions = JSON.parse(settings.get('options') ?? '{}')
window.renewals = 0
window.client = createClient({
  url: settings.get('weft') ?? '',
  application: 'served',
  token: settings.get('token') ?? undefined,
  refresh: async () => {
    window.renewals++
    if (settings.has('fails')) throw new Error('no network')
    const renewed = settings.get('renewed') ?? undefined
    // A page with a new token responds after the pages without one.
    if (renewed) await new Promise((done) => setTimeout(done, 300))
    return renewed
  },
})
window.handle = registerWorker(window.client, options)
window.request = (...request) => internalsOf(window.client).http.fetch(...request)
