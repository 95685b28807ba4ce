import type { Client } from '../api.ts'
import { type Internals, internalsOf } from '../internals.ts'
import { asWeftError, WeftError } from '../model/error.ts'
import { getRegistration, notReadyError, onActivated, type WorkerScript } from './activation.ts'
import { sendInBackground } from './background-sync.ts'
import type { Question } from './protocol.ts'
import { routeThroughWorker } from './routed-fetch.ts'
import { defaultTimeouts, type WorkerTimeouts } from './timeouts.ts'
import { type PageGreeting, WorkerLink } from './worker-link.ts'

/*
 * The page's side of the service worker; `worker/serve` is the worker's side.
 *
 *   register.ts          registers the worker and tracks where requests are sent
 *   activation.ts        waits for workers to become active
 *   worker-link.ts       exchanges messages with the worker, with its state diagram
 *   routed-fetch.ts      decides which requests go through the worker
 *   background-sync.ts   makes the worker send the writes that a closed page left
 *   protocol.ts          the messages
 *
 *   starting ──welcome──▶ worker ──link closed──▶ local ──welcome──▶ worker
 *   starting ──timeout, no worker, refusal──▶ local
 *
 * In the states `starting` and `local` the page sends its requests itself, so an application works the same without a
 * worker. In the state `worker` each idempotent request costs two additional messages.
 */

export interface WorkerOptions extends Partial<WorkerScript> {
  /** Flags that the application passes to its worker. */
  readonly flags?: Readonly<Record<string, boolean>>
  readonly timeouts?: Partial<WorkerTimeouts>
}

/** The sender of requests: the worker or the page. In `starting`, the page sends them until a worker responds. */
export type WorkerState = 'starting' | 'worker' | 'local'

export interface WorkerHandle {
  readonly state: WorkerState
  /** The last error that made the page send a request itself. */
  readonly reason: WeftError | undefined
  /** Resolves with the first state after `starting`. Never rejects. */
  readonly ready: Promise<'worker' | 'local'>
  /**
   * Posts JSON to a path of the server as soon as `ready` has resolved. Resolves with the JSON of the response. Rejects
   * with a WeftError; after a 401 or 500 its message is `Unauthorized` or `Internal Server Error`.
   */
  post(path: string, body: unknown): Promise<unknown>
  /** Makes the page send its requests itself from now on. The worker stays registered for the next visit. */
  close(): void
}

/**
 * Registers a service worker that sends the idempotent requests of a client, stores the page for offline reading, and
 * sends the writes that a closed page left. Without a worker the page sends its requests itself.
 */
export function registerWorker(client: Client, options: WorkerOptions = {}): WorkerHandle {
  return new RegisteredWorker(client, options)
}

class RegisteredWorker implements WorkerHandle {
  state: WorkerState = 'starting'
  reason: WeftError | undefined
  readonly ready: Promise<'worker' | 'local'>
  readonly #client: Client
  readonly #internals: Internals
  readonly #script: WorkerScript
  readonly #flags: Readonly<Record<string, boolean>>
  readonly #timeouts: WorkerTimeouts
  readonly #directFetch: typeof fetch
  readonly #link: WorkerLink
  readonly #stop = new AbortController()
  #registration: ServiceWorkerRegistration | undefined
  /** User and session of the last greeting. */
  #greetedAs = ''
  #resolveReady!: (state: 'worker' | 'local') => void

  constructor(client: Client, options: WorkerOptions) {
    const { script = './serviceWorker.bundle.js', scope = '/', mode = 'auto' } = options
    const { type = 'classic', flags = {} } = options
    this.#client = client
    this.#internals = internalsOf(client)
    this.#script = { script, scope, mode, type }
    this.#flags = flags
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts }
    this.#directFetch = this.#internals.http.fetch
    this.ready = new Promise((resolve) => {
      this.#resolveReady = resolve
    })
    this.#link = new WorkerLink(this.#timeouts, {
      createGreeting: () => this.#createGreeting(),
      onStatusChange: (error) => this.#updateState(error),
      onVersionMismatch: () => void this.#registration?.update().catch(() => {}),
      renewToken: () => this.#renewToken(),
    })
    if (globalThis.navigator?.serviceWorker)
      this.#start().catch((e) => this.#link.fail(notReadyError(mode, e)))
    else this.#link.fail(new WeftError('unavailable', 'this browser has no service workers'))
  }

  readonly post = async (path: string, body: unknown): Promise<unknown> => {
    await this.ready
    return this.#internals.http.post(path, body).catch((e) => throwContractError(e, path))
  }

  readonly close = (): void => {
    this.#stop.abort()
    this.#internals.http.fetch = this.#directFetch
    this.#link.close()
    this.#updateState()
  }

  async #start(): Promise<void> {
    const { signal } = this.#stop
    const { mode } = this.#script
    const { activationTimeout, readyTimeout } = this.#timeouts
    const onTimeout = () => {
      if (this.state === 'starting') this.#link.fail(notReadyError(mode))
    }
    setTimeout(onTimeout, mode === 'auto' ? activationTimeout : readyTimeout)
    const registration = await getRegistration(this.#script)
    this.#registration = registration
    if (signal.aborted) return
    const { http, name } = this.#internals
    http.fetch = routeThroughWorker(this.#link, this.#directFetch)
    onActivated(registration, signal, (worker) => this.#takeOver(worker))
    this.#addListeners(registration)
    sendInBackground(this.#client, registration, name, signal)
    if (registration.active) this.#link.attach(registration.active)
  }

  /** Switches to a new worker. Greets it twice, because a worker that is starting may miss the first greeting. */
  #takeOver(worker: ServiceWorker): void {
    this.#link.attach(worker)
    setTimeout(() => this.#link.greet(), this.#timeouts.takeoverDelay)
  }

  #addListeners(registration: ServiceWorkerRegistration): void {
    const { signal } = this.#stop
    const reattach = () => {
      if (this.state === 'local' && registration.active) this.#link.attach(registration.active)
    }
    document.addEventListener('visibilitychange', reattach, { signal })
    const onQuestion = ({ data }: MessageEvent<Question>) =>
      data?.weft === 'who' && this.#link.greet()
    navigator.serviceWorker.addEventListener('message', onQuestion, { signal })
    const unsubscribe = this.#client.sync.subscribe(() => {
      if (this.#greetedAs !== this.#identity()) this.#link.greet()
    })
    signal.addEventListener('abort', unsubscribe)
  }

  #createGreeting(): PageGreeting {
    this.#greetedAs = this.#identity()
    const { http, name } = this.#internals
    const { url: base, token, session } = http
    const application = name.slice(`weft ${base} `.length)
    const flags = this.#flags
    return { name, application, base, session, flags, token, address: location.href }
  }

  #identity(): string {
    const { session, token } = this.#internals.http
    return `${session} ${token}`
  }

  /** Tries to renew the token, and returns the current token. Without a network that is the old token. */
  async #renewToken(): Promise<string | undefined> {
    const { http } = this.#internals
    await http.renewToken?.().catch(() => {})
    return http.token
  }

  #updateState(error?: WeftError): void {
    this.reason = error ?? this.reason
    this.state = this.#link.isOpen ? 'worker' : 'local'
    this.#resolveReady(this.state)
  }
}

/** Throws an error with one of the messages that applications of the wire contract compare. */
function throwContractError(e: unknown, path: string): never {
  const { kind, message } = asWeftError(e)
  if (kind === 'unauthorized') throw new WeftError(kind, 'Unauthorized', e)
  if (kind === 'internal' || message === `${path} responded with 500`)
    throw new WeftError(kind, 'Internal Server Error', e)
  throw e
}
