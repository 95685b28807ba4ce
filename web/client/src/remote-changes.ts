import type { ChangeFollower, FollowerParts, Subscriber } from './live/remote/change-follower.ts'
import type { Id } from './model/id.ts'
import { lazyLoad } from './wire/lazy.ts'
import { ignoreError, retryLater } from './wire/retry.ts'

/**
 * The subscriptions of this page to changes by other clients. While there are any, or a live query has listeners, the server's
 * change stream is open. The code that follows it is loaded for the first caller. Changes before that are not missed: a stream that
 * opens reports a gap, and the data is refetched.
 */
export class RemoteChanges {
  readonly #refetchQueries: () => void
  readonly #subscribers = new Set<Subscriber>()
  readonly #loadFollower: () => Promise<ChangeFollower>
  #follower: ChangeFollower | undefined
  /** The number of callers that need the stream. */
  #callers = 0

  constructor(parts: Omit<FollowerParts, 'subscribers'>) {
    this.#refetchQueries = parts.refetchQueries
    this.#loadFollower = lazyLoad(async () => {
      const { ChangeFollower } = await import('./live/remote/index.ts')
      this.#follower = new ChangeFollower({ ...parts, subscribers: this.#subscribers })
      return this.#follower
    })
  }

  /** Keeps the change stream open until the returned function is called. */
  keepFeedOpen(): () => void {
    this.#callers++
    this.#open()
    let isNeeded = true
    return () => {
      if (!isNeeded) return
      isNeeded = false
      if (--this.#callers === 0) this.#follower?.stream.setWanted(false)
    }
  }

  /**
   * Subscribes to one concept. Calls back after each change by another client or, without a callback, refetches the
   * record. Returns a function that unsubscribes.
   */
  subscribe(id: Id, changed?: () => void): () => void {
    const releaseFeed = this.keepFeedOpen()
    const subscriber = { id, changed }
    this.#subscribers.add(subscriber)
    return () => {
      releaseFeed()
      this.#subscribers.delete(subscriber)
    }
  }

  /** Refetches and notifies everything, because any change may have been missed. */
  onGap(): void {
    this.#refetchQueries()
    if (this.#follower) this.#follower.refetchWatched()
    else if (this.#subscribers.size > 0)
      this.#loadFollower().then((follower) => follower.refetchWatched(), ignoreError)
  }

  /** Reconnects as the user who is signed in now. */
  reopen(): void {
    this.#follower?.stream.reopen()
  }

  networkChanged(): void {
    this.#follower?.networkChanged()
  }

  close(): void {
    this.#callers = 0
    this.#follower?.stream.close()
  }

  /** Opens the stream. In Node an open stream keeps the program running until the last listener is removed. */
  #open(): void {
    if (this.#callers === 0) return
    this.#loadFollower().then(
      (follower) => follower.stream.setWanted(this.#callers > 0),
      () => retryLater(() => this.#open()),
    )
  }
}
