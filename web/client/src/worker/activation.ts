import { WeftError } from '../graph/error.ts'
import type { Times } from './times.ts'

export interface Script {
  readonly script: string
  readonly scope: string
  /** `auto` registers the script; `manual` waits until the application has, and its worker is ready. */
  readonly mode: 'auto' | 'manual'
  readonly type: WorkerType
}

/** The registration, as soon as there is one. Rejects with a WeftError when that takes too long, or the browser refuses. */
export function registered(script: Script, times: Times): Promise<ServiceWorkerRegistration> {
  const workers = navigator.serviceWorker
  if (script.mode === 'manual')
    return within(times.ready, 'Service worker not ready', workers.ready)
  const registering = workers.register(script.script, script)
  return within(times.activation, 'Not Completed Initialization', registering)
}

/** The worker of a registration, once it is active. Rejects with a WeftError when that takes too long, or it cannot be installed. */
export function activated(
  { active, waiting, installing }: ServiceWorkerRegistration,
  times: Times,
): Promise<ServiceWorker> {
  const worker = active ?? waiting ?? installing
  const done = new Promise<ServiceWorker>((done, fail) => {
    const look = () => {
      if (worker?.state === 'activated') done(worker)
      if (!worker || worker.state === 'redundant') fail(new Error('no worker'))
    }
    worker?.addEventListener('statechange', look)
    look()
  })
  return within(times.activation, 'Not Completed Initialization', done)
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

/** What comes of it in time. Any failure is a WeftError that says what was waited for. */
async function within<T>(time: number, message: string, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(fail, time)
  })
  try {
    return await Promise.race([promise, late])
  } catch (e) {
    throw new WeftError('unavailable', message, e)
  } finally {
    clearTimeout(timer)
  }
}
