import { WeftError } from '../graph/error.ts'

/** The script of the worker, and how it is run. */
export interface Script {
  /** Its address: `./serviceWorker.bundle.js` unless said otherwise. */
  readonly script: string
  /** Beginning of the paths whose pages it serves: `/`. */
  readonly scope: string
  /** `auto`, the usual, registers the script; `manual` waits until the application has, and its worker is ready. */
  readonly mode: 'auto' | 'manual'
  /** `classic`, a script in one file, unless said otherwise; `module` where every browser in question has that. */
  readonly type: WorkerType
}

/** Why there is no worker, in the words that programs compare. */
export const notReady = (mode: Script['mode'], cause?: unknown) => {
  const words = mode === 'auto' ? 'Not Completed Initialization' : 'Service worker not ready'
  return new WeftError('unavailable', words, cause)
}

/** The registration, as soon as there is one, which may be never. Rejects when the browser refuses. */
export function registered(script: Script): Promise<ServiceWorkerRegistration> {
  const { serviceWorker } = navigator
  return script.mode === 'auto'
    ? serviceWorker.register(script.script, script)
    : serviceWorker.ready
}

/** Calls back with every worker that becomes active from now on, until the signal. */
export function onActivated(
  registration: ServiceWorkerRegistration,
  signal: AbortSignal,
  changed: (worker: ServiceWorker) => void,
): void {
  const follow = () => {
    const worker = registration.installing
    const look = () => worker?.state === 'activated' && changed(worker)
    worker?.addEventListener('statechange', look, { signal })
  }
  registration.addEventListener('updatefound', follow, { signal })
  follow()
}
