import { WeftError } from '../graph/error.ts'
import { notReady } from './activation.ts'
import {
  type Answer,
  type Ask,
  batching,
  type Greeting,
  protocol,
  type ToPage,
  type Welcome,
} from './message.ts'
import type { Times } from './times.ts'

/** What a link asks and tells the page. */
export interface Ends {
  /** All that a worker must know, but for what the link knows itself. */
  greeting(): Omit<Greeting, 'weft' | 'protocol' | 'page' | 'waiting' | 'at'>
  /** The link is open, or is not, or a request was not answered. */
  changed(error?: WeftError): void
  /** The worker speaks another protocol: it is old, or this page is. */
  skewed(): void
  /** The server does not know the token any more: a new one, if there is one. */
  renew(): Promise<string | undefined>
}

interface Waiting {
  readonly ask: Ask
  readonly timer: ReturnType<typeof setTimeout>
  readonly done: (answer: Answer | undefined) => void
  /** How often it was sent, and when last. */
  sent: number
  at: number
}

/**
 * Talks with a worker, which may be killed or replaced at any time. Requests wait until it is there, and one that it
 * turns out not to know is sent once more.
 */
export class Link {
  readonly #times: Times
  readonly #ends: Ends
  #page = crypto.randomUUID()
  readonly #waiting = new Map<number, Waiting>()
  readonly #post = batching<Ask>((asks) => this.#port?.postMessage({ asks }))
  #worker: ServiceWorker | undefined
  /** Where the worker was heard last. */
  #port: MessagePort | undefined
  /** The worker was heard, and may be trusted to be awake. */
  #awake = false
  #spoken = 0
  /** Since when a greeting is unanswered. */
  #silent: number | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  #last = 0
  /** Whether requests may go this way. */
  open = false

  constructor(times: Times, ends: Ends) {
    this.#times = times
    this.#ends = ends
  }

  /** From now on talks with that worker. */
  attach(worker: ServiceWorker): void {
    this.#worker = worker
    this.#awake = false
    this.#silent = undefined
    this.greet()
  }

  /** Resolves with what the worker got, or, also when aborted, with undefined: the page is to make the request itself. */
  ask(request: Omit<Ask, 'id'>, signal?: AbortSignal | null): Promise<Answer | undefined> {
    if (!this.open || signal?.aborted) return Promise.resolve(undefined)
    const ask = { id: ++this.#last, ...request }
    return new Promise((done) => {
      signal?.addEventListener('abort', () => this.#giveBack(ask.id))
      const timer = setTimeout(() => this.#giveUp(ask.id), this.#times.answer)
      const waiting = { ask, timer, done, sent: 0, at: 0 }
      this.#waiting.set(ask.id, waiting)
      if (this.#awake && performance.now() - this.#spoken > this.#times.awake) {
        this.#awake = false
        this.greet()
      }
      if (this.#awake) this.#send(waiting)
      this.#watch()
    })
  }

  /** Tells the worker who we are, and asks about what waits for long. */
  greet(): void {
    if (!this.#worker) return
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }: MessageEvent<ToPage>) => this.#hear(port1, data)
    this.#silent ??= performance.now()
    const late = [...this.#waiting.values()].filter((w) => w.sent > 0 && this.#isLate(w))
    const waiting = late.map((w) => w.ask.id)
    const said: Greeting = {
      ...this.#ends.greeting(),
      weft: 'hello',
      protocol,
      page: this.#page,
      waiting,
      at: performance.now(),
    }
    this.#worker.postMessage(said, [port2])
    this.#watch()
  }

  /** No worker answers. One that does later is welcome. */
  lose(error: WeftError): void {
    this.#drop()
    this.#ends.changed(error)
  }

  close(): void {
    this.#worker = undefined
    this.#drop()
  }

  /** Whatever waits is for the page. The worker knows this page no more, should it be there. */
  #drop(): void {
    this.#page = crypto.randomUUID()
    this.#awake = false
    this.#silent = undefined
    this.open = false
    this.#port?.close()
    this.#port = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const id of [...this.#waiting.keys()]) this.#giveBack(id)
  }

  #hear(port: MessagePort, said: ToPage): void {
    if ('welcome' in said) this.#welcome(port, said)
    else if ('answers' in said) for (const a of said.answers) this.#take(a.id)?.done(a)
    else void this.#ends.renew().then((token) => port.postMessage({ token }))
  }

  #welcome(port: MessagePort, { welcome, unknown, at }: Welcome): void {
    if (!this.#worker) return
    if (welcome !== protocol) {
      this.#ends.skewed()
      this.lose(new WeftError('unavailable', 'the service worker is of another version'))
      return
    }
    if (this.#port !== port) this.#port?.close()
    this.#port = port
    this.#spoken = performance.now()
    this.#silent = undefined
    this.#awake = true
    this.open = true
    for (const id of unknown) {
      const waiting = this.#waiting.get(id)
      // Several greetings may have waited for the worker to wake.
      if (waiting && waiting.at > at) continue
      if (waiting?.sent === 1) this.#send(waiting)
      else this.#giveBack(id)
    }
    for (const waiting of this.#waiting.values()) if (waiting.sent === 0) this.#send(waiting)
    this.#ends.changed()
  }

  #send(waiting: Waiting): void {
    waiting.sent++
    waiting.at = performance.now()
    this.#post(waiting.ask)
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    clearTimeout(waiting?.timer)
    return waiting
  }

  #giveUp(id: number): void {
    const message = 'No response from service worker after timeout'
    this.#ends.changed(new WeftError('unavailable', message))
    this.#giveBack(id)
  }

  #giveBack(id: number): void {
    this.#take(id)?.done(undefined)
  }

  /** Looks from time to time, while anything waits, whether the worker still does what it should. */
  #watch(): void {
    this.#timer ??= setInterval(() => this.#look(), this.#times.check)
  }

  #look(): void {
    const silent = this.#silent === undefined ? 0 : performance.now() - this.#silent
    if (silent >= this.#times.activation) this.lose(notReady('auto'))
    else if (silent > 0 || [...this.#waiting.values()].some((w) => this.#isLate(w))) this.greet()
    if (this.#waiting.size > 0 || this.#silent !== undefined) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #isLate({ at }: Waiting): boolean {
    return at <= performance.now() - this.#times.check
  }
}
