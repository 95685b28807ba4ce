import type { Client } from '../api.ts'
import { asWeftError, WeftError } from '../graph/error.ts'
import { insideOf } from '../inside.ts'
import { notReady, onActivated, registered, type Script } from './activation.ts'
import { sendInBackground } from './background.ts'
import { type Ends, Link } from './link.ts'
import type { Question } from './message.ts'
import { routed } from './route.ts'
import { type Times, usual } from './times.ts'

export interface WorkerOptions extends Partial<Script> {
  /** Told to the worker, for what the application does there. */
  readonly flags?: Readonly<Record<string, boolean>>
  readonly times?: Partial<Times>
}

/** Where requests are made. `starting`, in the page so far, until it is known whether there is a worker. */
export type WorkerState = 'starting' | 'worker' | 'local'

export interface WorkerHandle {
  readonly state: WorkerState
  /** Why the page makes requests itself that a worker was to make, or last did. */
  readonly reason: WeftError | undefined
  /** Resolves with where requests are made as soon as that is known. Never rejects. */
  readonly ready: Promise<'worker' | 'local'>
  /**
   * Posts JSON to a path of the server once ready, and resolves with the JSON of the answer. Rejects with a
   * WeftError: `Unauthorized` and `Internal Server Error` say so.
   */
  post(path: string, body: unknown): Promise<unknown>
  /** From now on the page makes its requests itself. The worker stays for the next visit. */
  close(): void
}

/**
 * Has a service worker make those requests of a client that may be made twice, keep the page for reading without a
 * network, and send what the page could not before it went. What the worker does not do the page does: nothing fails
 * for want of a worker.
 */
export function registerWorker(client: Client, options: WorkerOptions = {}): WorkerHandle {
  const { script = './serviceWorker.bundle.js', scope = '/', mode = 'auto' } = options
  const { type = 'classic', flags = {} } = options
  const times = { ...usual, ...options.times }
  const { name, http } = insideOf(client)
  const direct = http.fetch
  const stop = new AbortController()
  const { signal } = stop
  let known!: (state: 'worker' | 'local') => void
  const ready = new Promise<'worker' | 'local'>((done) => {
    known = done
  })
  let state: WorkerState = 'starting'
  let reason: WeftError | undefined
  let registration: ServiceWorkerRegistration | undefined
  let told = ''

  const ends: Ends = {
    greeting: () => {
      told = person()
      const { url: base, token, session } = http
      const application = name.slice(`weft ${base} `.length)
      return { name, application, base, session, flags, token, address: location.href }
    },
    changed,
    skewed: () => void registration?.update().catch(() => {}),
    renew: async () => {
      // It cannot be renewed now, say, without a network.
      await http.renew?.().catch(() => {})
      return http.token
    },
  }
  const link = new Link(times, ends)
  const person = () => `${http.session} ${http.token}`

  function changed(error?: WeftError): void {
    reason = error ?? reason
    state = link.open ? 'worker' : 'local'
    known(state)
  }

  async function start(): Promise<void> {
    setTimeout(late, mode === 'auto' ? times.activation : times.ready)
    registration = await registered({ script, scope, mode, type })
    if (signal.aborted) return
    http.fetch = routed(link, direct)
    onActivated(registration, signal, takeOver)
    listen()
    sendInBackground(client, registration, name, signal)
    if (registration.active) link.attach(registration.active)
  }

  /** Whatever it is that takes so long, nobody waits for it. */
  const late = () => {
    if (state === 'starting') link.lose(notReady(mode))
  }

  /** A new worker is there. What it was told before it was ready is told again. */
  function takeOver(worker: ServiceWorker): void {
    link.attach(worker)
    setTimeout(() => link.greet(), times.settled)
  }

  function listen(): void {
    const again = () => {
      if (state === 'local' && registration?.active) link.attach(registration.active)
    }
    document.addEventListener('visibilitychange', again, { signal })
    const asked = ({ data }: MessageEvent<Question>) => data?.weft === 'who' && link.greet()
    navigator.serviceWorker.addEventListener('message', asked, { signal })
    const unsubscribe = client.sync.subscribe(() => {
      if (told !== person()) link.greet()
    })
    signal.addEventListener('abort', unsubscribe)
  }

  if (globalThis.navigator?.serviceWorker) start().catch((e) => link.lose(notReady(mode, e)))
  else link.lose(new WeftError('unavailable', 'there are no service workers here'))
  return {
    get state() {
      return state
    },
    get reason() {
      return reason
    },
    ready,
    post: async (path, body) => {
      await ready
      return http.post(path, body).catch((e) => named(e, path))
    },
    close: () => {
      stop.abort()
      http.fetch = direct
      link.close()
      changed()
    },
  }
}

/** The failure in the words that programs compare. */
function named(e: unknown, path: string): never {
  const { kind, message } = asWeftError(e)
  if (kind === 'unauthorized') throw new WeftError(kind, 'Unauthorized', e)
  if (kind === 'internal' || message === `${path} answered 500`)
    throw new WeftError(kind, 'Internal Server Error', e)
  throw e
}
