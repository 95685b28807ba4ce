import type { Mutation, Receipt } from '../graph/mutation.ts'
import { randomNumber } from '../store/local-ids.ts'
import type { Mark } from './pending.ts'

/** What the tabs of one application tell each other of their writes. */
export type News =
  | {
      readonly kind: 'added'
      readonly mutations: readonly Mutation[]
      /** Keys of those that are not on the disk. */
      readonly afloat?: readonly string[]
    }
  | {
      readonly kind: 'settled'
      readonly keys: readonly string[]
      readonly receipt: Receipt
      /** To whom the server said it. */
      readonly user: string | undefined
    }
  | { readonly kind: 'marked'; readonly keys: readonly string[]; readonly mark: Mark }
  | { readonly kind: 'store'; readonly store: string }
  /** Who leads is to discard a write. */
  | { readonly kind: 'discard'; readonly key: string }
  | { readonly kind: 'discarded'; readonly keys: readonly string[] }
  /** What somebody who comes finds on the disk. */
  | { readonly kind: 'left'; readonly keys: readonly string[] }

/** What goes over the channel: news, numbered by who tells them, or somebody who waits for the leader. */
export type Letter<T> =
  | { readonly from: number; readonly n: number; readonly news: T }
  | 'ping' // is the leader there?
  | { readonly pong: string } // it is, and acts for
  | 'bye' // it goes

/** What a tab does with what it hears. */
interface Ears<T> {
  /** Told the news of other tabs, each once, those of one tab in order. */
  hear(news: T): void
  /** Told when news were missed, or may have been. */
  missed(): void
  /** Told when this tab leads from now on, and when it does no more. */
  lead(leading: boolean): void
  /** Whom this tab acts for, and whether that is waited for. A leader that acts for another does not do it. */
  as?(): string
  waits?(): boolean
}

/** How long somebody waits for a silent leader before the tab leads itself, in ms. */
const patience = 3_000

/**
 * The other tabs that share a name. One of them leads, by a lock of that name, and does for all what is to be
 * done once. A tab that the browser puts to sleep gives the lock back; a leader that sleeps or hangs all the
 * same loses it to the first that waits for it. Where the browser has no locks every tab leads.
 */
export class Tabs<T> {
  leading = false
  /** Whom the leader acts for, as far as it said. */
  #served = ''
  readonly #name: string
  readonly #ears: Ears<T>
  readonly #from = randomNumber()
  /** The last number told, and those heard from others. */
  #told = 0
  readonly #heard = new Map<number, number>()
  readonly #closing = new AbortController()
  /** While the tab is awake. */
  #channel: BroadcastChannel | undefined
  /** Ends this tab's place in the queue for the lock, or its time with it. */
  #turn: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(name: string, ears: Ears<T>) {
    this.#name = name
    this.#ears = ears
    const on = (event: string, work: () => void) =>
      globalThis.addEventListener?.(event, work, { signal: this.#closing.signal, capture: true })
    for (const event of ['pagehide', 'freeze']) on(event, () => this.#rest())
    for (const event of ['pageshow', 'resume']) on(event, () => this.#wake())
    on('visibilitychange', () => document.hidden || this.expect())
    this.#join()
  }

  tell(news: T): void {
    this.#post({ from: this.#from, n: ++this.#told, news })
  }

  /** Somebody waits for what the leader does: when none answers soon, this tab leads. */
  expect(): void {
    if (this.leading || this.#timer || !this.#channel) return
    this.#post('ping')
    this.#timer = setTimeout(() => this.#queue(true), patience)
  }

  /** This tab may act for somebody else now, or have something to wait for. */
  claim(): void {
    if (this.#served === this.#as()) return
    if (this.leading) this.#answer()
    else if (this.#ears.waits?.()) this.expect()
  }

  close(): void {
    this.#closing.abort()
    this.#rest()
  }

  /**
   * What is told meanwhile is missed, and an open channel would keep the page from being kept. The next to lead may
   * be a tab that was frozen before the browser heard that it is not in the queue any more.
   */
  #rest(): void {
    if (this.leading) this.#post('bye')
    this.#turn?.abort()
    this.#turn = undefined
    this.#set(false)
    this.#channel?.close()
    this.#channel = undefined
  }

  #wake(): void {
    if (this.#channel) return
    this.#join()
    this.#ears.missed()
  }

  #join(): void {
    this.#channel = new BroadcastChannel(this.#name)
    this.#channel.onmessage = (e: MessageEvent<Letter<T>>) => this.#open(e.data)
    this.#queue()
  }

  #open(letter: Letter<T>): void {
    if (letter === 'bye') this.expect()
    else if (letter === 'ping') this.#answer()
    else if ('pong' in letter) this.#meet(letter.pong)
    else this.#take(letter.from, letter.n, letter.news)
  }

  #answer(): void {
    if (!this.leading) return
    this.#served = this.#as()
    this.#post({ pong: this.#served })
  }

  #meet(as: string): void {
    this.#served = as
    const asked = this.#timer !== undefined
    this.#calm()
    if (asked && as !== this.#as() && this.#ears.waits?.()) this.#queue(true)
  }

  #as(): string {
    return this.#ears.as?.() ?? ''
  }

  #take(from: number, n: number, news: T): void {
    const last = this.#heard.get(from) ?? n - 1
    if (n <= last) return
    this.#heard.set(from, n)
    if (n > last + 1) this.#ears.missed()
    this.#ears.hear(news)
  }

  /** Waits for its turn to lead, or takes it from whoever has it. */
  #queue(steal = false): void {
    this.#turn?.abort()
    const turn = new AbortController()
    this.#turn = turn
    const { signal } = turn
    const lead = () => {
      if (signal.aborted) return undefined
      this.#set(true)
      return new Promise<void>((end) => signal.addEventListener('abort', () => end()))
    }
    const locks = globalThis.navigator?.locks
    if (!locks) return void lead()
    locks.request(this.#name, steal ? { steal } : { signal }, lead).catch((e: DOMException) => {
      if (this.#turn !== turn) return
      // Another has taken it; where locks are not allowed nobody can.
      if (e.name !== 'AbortError') return void lead()
      this.#set(false)
      this.#queue()
    })
  }

  #set(leading: boolean): void {
    this.#calm()
    if (leading === this.leading) return
    this.leading = leading
    this.#answer()
    this.#ears.lead(leading)
  }

  /** Nobody waits any more. */
  #calm(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #post(letter: Letter<T>): void {
    this.#channel?.postMessage(letter)
  }
}
