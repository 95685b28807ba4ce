import { WeftError } from '../model/error.ts'

/** The script of the worker, and options of its registration. */
export interface WorkerScript {
  /** URL of the script. Default: `./serviceWorker.bundle.js`. */
  readonly script: string
  /** Path prefix of the pages that the worker serves. Default: `/`. */
  readonly scope: string
  /** `auto`, the default, registers the script. `manual` waits for a worker that the application registers. */
  readonly mode: 'auto' | 'manual'
  /** `classic`, the default, for a script in one file; `module` if all supported browsers have module workers. */
  readonly type: WorkerType
}

/** Creates the error for a missing worker. Applications of the wire contract compare its message. */
export const notReadyError = (mode: WorkerScript['mode'], cause?: unknown) => {
  const text = mode === 'auto' ? 'Not Completed Initialization' : 'Service worker not ready'
  return new WeftError('unavailable', text, cause)
}

/**
 * Resolves with the registration. In manual mode, never resolves if the application registers no worker. Rejects if the
 * browser refuses to register.
 */
export function getRegistration(script: WorkerScript): Promise<ServiceWorkerRegistration> {
  const { serviceWorker } = navigator
  return script.mode === 'auto'
    ? serviceWorker.register(script.script, script)
    : serviceWorker.ready
}

/** Calls back with each worker of a registration that becomes active, until the signal aborts. */
export function onActivated(
  registration: ServiceWorkerRegistration,
  signal: AbortSignal,
  callback: (worker: ServiceWorker) => void,
): void {
  const watch = (worker: ServiceWorker | null) => {
    const onStateChange = () => worker?.state === 'activated' && callback(worker)
    worker?.addEventListener('statechange', onStateChange, { signal })
  }
  registration.addEventListener('updatefound', () => watch(registration.installing), { signal })
  watch(registration.installing)
  // An earlier page may have installed a worker that waits until the previous worker has ended its work.
  watch(registration.waiting)
}
