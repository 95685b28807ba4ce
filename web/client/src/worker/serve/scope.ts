/** An event that keeps the worker awake until work is done. */
interface Extendable {
  waitUntil(work: Promise<unknown>): void
}

export interface FetchEvent extends Event, Extendable {
  readonly request: Request
  readonly preloadResponse: Promise<Response | undefined>
  respondWith(response: Promise<Response>): void
}

interface BackgroundSyncEvent extends Event, Extendable {
  readonly tag: string
}

/** A message. Its source has an id if the source is a page. */
interface ScopeMessageEvent extends MessageEvent, Extendable {
  readonly source: (MessageEventSource & { readonly id?: string }) | null
}

interface WindowClient {
  readonly id: string
  postMessage(message: unknown): void
}

/**
 * The parts of ServiceWorkerGlobalScope used here. They are declared here because TypeScript's library for pages lacks
 * them.
 */
interface Scope {
  readonly location: Location
  readonly registration: ServiceWorkerRegistration
  readonly clients: {
    claim(): Promise<void>
    matchAll(options: { includeUncontrolled: boolean }): Promise<readonly WindowClient[]>
  }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (e: Event & Extendable) => void): void
  addEventListener(type: 'message', listener: (e: ScopeMessageEvent) => void): void
  addEventListener(type: 'fetch', listener: (e: FetchEvent) => void): void
  addEventListener(type: 'sync', listener: (e: BackgroundSyncEvent) => void): void
}

export const scope = globalThis as unknown as Scope
