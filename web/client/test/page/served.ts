import { type Client, createClient } from '../../src/index.ts'
import { insideOf } from '../../src/inside.ts'
import { registerWorker, type WorkerHandle, type WorkerOptions } from '../../src/worker/index.ts'

declare global {
  interface Window {
    client: Client
    handle: WorkerHandle
    /** How often the worker asked for a new token. */
    renewals: number
    /** How the client makes a request. */
    request: typeof fetch
  }
}

const asked = new URLSearchParams(location.search)
const options: WorkerOptions = JSON.parse(asked.get('options') ?? '{}')
window.renewals = 0
window.client = createClient({
  url: asked.get('weft') ?? '',
  application: 'served',
  token: asked.get('token') ?? undefined,
  refresh: async () => {
    window.renewals++
    if (asked.has('fails')) throw new Error('no network')
    const renewed = asked.get('renewed') ?? undefined
    // Who has one takes longer.
    if (renewed) await new Promise((later) => setTimeout(later, 300))
    return renewed
  },
})
window.handle = registerWorker(window.client, options)
window.request = (...request) => insideOf(window.client).http.fetch(...request)
