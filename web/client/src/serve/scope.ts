/** An event that keeps the worker awake. */
interface Extendable {
  waitUntil(work: Promise<unknown>): void
}

export interface Fetched extends Event, Extendable {
  readonly request: Request
  readonly preloadResponse: Promise<Response | undefined>
  respondWith(response: Promise<Response>): void
}

interface Synced extends Event, Extendable {
  readonly tag: string
}

/** What somebody says, who has an id if it is a page. */
interface Told extends MessageEvent, Extendable {
  readonly source: (MessageEventSource & { readonly id?: string }) | null
}

interface Page {
  readonly id: string
  postMessage(message: unknown): void
}

/** What a service worker is of a worker, as far as it is used here: the library of the page's types has none of it. */
interface Scope {
  readonly location: Location
  readonly registration: ServiceWorkerRegistration
  readonly clients: {
    claim(): Promise<void>
    matchAll(options: { includeUncontrolled: boolean }): Promise<readonly Page[]>
  }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (e: Event & Extendable) => void): void
  addEventListener(type: 'message', listener: (e: Told) => void): void
  addEventListener(type: 'fetch', listener: (e: Fetched) => void): void
  addEventListener(type: 'sync', listener: (e: Synced) => void): void
}

export const scope = globalThis as unknown as Scope
