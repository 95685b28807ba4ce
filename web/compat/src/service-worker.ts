import type { WorkerHandle } from '@weft/client/worker'
import { currentClient } from './start.ts'

/*
 * The service worker. It sends requests for the page, keeps pages for offline use, and sends the writes that a closed
 * page left. It keeps no data itself. Its script is `serviceWorker.bundle.js` of this package.
 */

/** The active worker; undefined while there is none. */
export let serviceWorker: any

/** Reports whether the worker has taken over. */
export let hasActivatedSW = false

export function setHasActivatedSW(value: boolean): void {
  hasActivatedSW = value
}

/** A listener in a worker. There are none, because listeners run in the page. */
interface listeners {
  listenerId: string | number
  callback: any
  createdAt: number
}

export const subscribedListeners: listeners[] = []

let handle: WorkerHandle | undefined

export interface WorkerSettings {
  activate: boolean
  scope?: string
  pathToSW?: string
  manual?: boolean
}

/** Registers the worker, and resolves when it has taken over or turns out to be unavailable. */
export async function startWorker({ scope, pathToSW, manual }: WorkerSettings): Promise<void> {
  const { registerWorker } = await import('@weft/client/worker')
  handle?.close()
  handle = registerWorker(currentClient(), {
    script: pathToSW ?? './serviceWorker.bundle.js',
    scope: scope ?? '/',
    mode: manual ? 'manual' : 'auto',
  })
  if ((await handle.ready) !== 'worker') return
  setHasActivatedSW(true)
  serviceWorker = navigator.serviceWorker.controller ?? undefined
}

/**
 * Always rejects, except for `init` and `updateAccessToken`: the worker has no calls. Programs then run the call of the
 * same name in the page, as they do without a worker.
 */
export async function sendMessage(type: string, _payload: any, _retryCount = 0): Promise<unknown> {
  if (type === 'init' || type === 'updateAccessToken') return null
  throw new Error(`No service worker call ${type}`)
}

/** Rethrows an error of the wire contract; ignores other errors, so that the caller runs the call itself. */
export function handleServiceWorkerException(error: any): void {
  if (error?.status === 401 || error?.status === 500) throw error
}
