import { WeftError } from '../model/error.ts'
import { notReadyError } from './activation.ts'
import { batchPerMicrotask } from './batch.ts'
import {
  type Greeting,
  protocolVersion,
  type ToPage,
  type Welcome,
  type WorkerRequest,
  type WorkerResponse,
} from './protocol.ts'
import type { WorkerTimeouts } from './timeouts.ts'

/*
 * The link from a page to a service worker, which the browser may suspend, kill or replace at any time.
 *
 *   closed ──welcome──▶ awake
 *   awake ──no message for `sleepAfter`, or a new worker──▶ waking ──welcome──▶ awake
 *   awake, waking ──greeting unanswered for `activationTimeout`, or other protocol version──▶ closed
 *
 *   closed   the page sends its requests itself
 *   waking   requests are queued until the worker responds to a greeting
 *   awake    requests are posted to the worker; requests of one microtask share a message
 *
 * A late request is listed in the next greeting. If the worker does not have the request, the link posts it once more.
 * If the worker does not have it after that either, the link returns it to the page by resolving it with undefined.
 */

/** The members of a greeting that the page supplies. */
export type PageGreeting = Omit<Greeting, 'weft' | 'protocol' | 'page' | 'waiting' | 'at'>

/** The parts of the page that a link uses. */
export interface LinkCallbacks {
  createGreeting(): PageGreeting
  /** Called when the status changed. Called with the reason when a request received no response. */
  onStatusChange(error?: WeftError): void
  /** Called when the worker has another protocol version. */
  onVersionMismatch(): void
  /** Renews the token after the server refused it, and returns the current token. */
  renewToken(): Promise<string | undefined>
}

interface QueuedRequest {
  readonly request: WorkerRequest
  readonly timer: ReturnType<typeof setTimeout>
  readonly resolve: (response: WorkerResponse | undefined) => void
  /** Number of times the request was posted. Below, the time of the last post. */
  posts: number
  postedAt: number
}

export class WorkerLink {
  readonly #timeouts: WorkerTimeouts
  readonly #callbacks: LinkCallbacks
  #status: 'closed' | 'waking' | 'awake' = 'closed'
  /** Id of this page at the worker. A closed link gets a new id, so that the worker drops the old requests. */
  #page = crypto.randomUUID()
  readonly #queue = new Map<number, QueuedRequest>()
  readonly #post = batchPerMicrotask<WorkerRequest>((asks) => this.#port?.postMessage({ asks }))
  #worker: ServiceWorker | undefined
  /** Port of the last welcome. */
  #port: MessagePort | undefined
  #welcomedAt = 0
  /** Time of the first unanswered greeting; undefined if none is unanswered. */
  #greetedAt: number | undefined
  #checkTimer: ReturnType<typeof setInterval> | undefined
  #lastId = 0

  constructor(timeouts: WorkerTimeouts, callbacks: LinkCallbacks) {
    this.#timeouts = timeouts
    this.#callbacks = callbacks
  }

  /** Reports whether requests may be sent through the worker. */
  get isOpen(): boolean {
    return this.#status !== 'closed'
  }

  /** Makes the link use this worker from now on. */
  attach(worker: ServiceWorker): void {
    this.#worker = worker
    if (this.#status === 'awake') this.#status = 'waking'
    this.#greetedAt = undefined
    this.greet()
  }

  /**
   * Sends a request through the worker. Resolves with undefined if the page must send the request itself, or if the
   * signal aborts.
   */
  send(
    message: Omit<WorkerRequest, 'id'>,
    signal?: AbortSignal | null,
  ): Promise<WorkerResponse | undefined> {
    if (!this.isOpen || signal?.aborted) return Promise.resolve(undefined)
    const request = { id: ++this.#lastId, ...message }
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => this.#returnToPage(request.id))
      const timer = setTimeout(() => this.#onTimeout(request.id), this.#timeouts.responseTimeout)
      const queued = { request, timer, resolve, posts: 0, postedAt: 0 }
      this.#queue.set(request.id, queued)
      if (this.#maySleep()) {
        this.#status = 'waking'
        this.greet()
      }
      if (this.#status === 'awake') this.#postRequest(queued)
      this.#startChecks()
    })
  }

  /** Greets the worker, if there is one, and lists the late requests. */
  greet(): void {
    if (!this.#worker) return
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }: MessageEvent<ToPage>) => this.#onMessage(port1, data)
    this.#greetedAt ??= performance.now()
    const late = [...this.#queue.values()].filter((q) => q.posts > 0 && this.#isLate(q))
    const greeting: Greeting = {
      ...this.#callbacks.createGreeting(),
      weft: 'hello',
      protocol: protocolVersion,
      page: this.#page,
      waiting: late.map((q) => q.request.id),
      at: performance.now(),
    }
    this.#worker.postMessage(greeting, [port2])
    this.#startChecks()
  }

  /** Closes the link after a failure. A later welcome of the same worker opens it again. */
  fail(error: WeftError): void {
    this.#reset()
    this.#callbacks.onStatusChange(error)
  }

  /** Permanently closes the link. */
  close(): void {
    this.#worker = undefined
    this.#reset()
  }

  /** Returns all requests to the page. */
  #reset(): void {
    this.#status = 'closed'
    this.#page = crypto.randomUUID()
    this.#greetedAt = undefined
    this.#port?.close()
    this.#port = undefined
    this.#stopChecks()
    for (const id of [...this.#queue.keys()]) this.#returnToPage(id)
  }

  #maySleep(): boolean {
    const idle = performance.now() - this.#welcomedAt
    return this.#status === 'awake' && idle > this.#timeouts.sleepAfter
  }

  #onMessage(port: MessagePort, message: ToPage): void {
    if ('welcome' in message) this.#onWelcome(port, message)
    else if ('answers' in message)
      for (const response of message.answers) this.#dequeue(response.id)?.resolve(response)
    else void this.#callbacks.renewToken().then((token) => port.postMessage({ token }))
  }

  #onWelcome(port: MessagePort, { welcome, unknown, at }: Welcome): void {
    if (!this.#worker) return
    if (welcome !== protocolVersion) {
      this.#callbacks.onVersionMismatch()
      this.fail(new WeftError('unavailable', 'the service worker has another version'))
      return
    }
    if (this.#port !== port) this.#port?.close()
    this.#port = port
    this.#welcomedAt = performance.now()
    this.#greetedAt = undefined
    this.#status = 'awake'
    for (const id of unknown) {
      const queued = this.#queue.get(id)
      // A waking worker may respond to several greetings. This response is to a greeting from before the post.
      if (queued && queued.postedAt > at) continue
      if (queued?.posts === 1) this.#postRequest(queued)
      else this.#returnToPage(id)
    }
    for (const queued of this.#queue.values()) if (queued.posts === 0) this.#postRequest(queued)
    this.#callbacks.onStatusChange()
  }

  #postRequest(queued: QueuedRequest): void {
    queued.posts++
    queued.postedAt = performance.now()
    this.#post(queued.request)
  }

  #dequeue(id: number): QueuedRequest | undefined {
    const queued = this.#queue.get(id)
    this.#queue.delete(id)
    clearTimeout(queued?.timer)
    return queued
  }

  #onTimeout(id: number): void {
    const message = 'No response from service worker after timeout'
    this.#callbacks.onStatusChange(new WeftError('unavailable', message))
    this.#returnToPage(id)
  }

  #returnToPage(id: number): void {
    this.#dequeue(id)?.resolve(undefined)
  }

  /** Checks for late responses while a request or a greeting is unanswered. */
  #startChecks(): void {
    this.#checkTimer ??= setInterval(() => this.#check(), this.#timeouts.checkInterval)
  }

  #stopChecks(): void {
    clearInterval(this.#checkTimer)
    this.#checkTimer = undefined
  }

  #check(): void {
    const silence = this.#greetedAt === undefined ? 0 : performance.now() - this.#greetedAt
    if (silence >= this.#timeouts.activationTimeout) this.fail(notReadyError('auto'))
    else if (silence > 0 || [...this.#queue.values()].some((q) => this.#isLate(q))) this.greet()
    if (this.#queue.size === 0 && this.#greetedAt === undefined) this.#stopChecks()
  }

  #isLate({ postedAt }: QueuedRequest): boolean {
    return postedAt <= performance.now() - this.#timeouts.checkInterval
  }
}
