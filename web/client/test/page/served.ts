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
    return asked.get('renewed') ?? undefined
  },
})
window.handle = registerWorker(window.client, options)
window.request = (...request) => insideOf(window.client).http.fetch(...request)
