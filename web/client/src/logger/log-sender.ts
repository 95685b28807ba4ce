import type { Http } from '../wire/http.ts'
import { clientLogRetry, retryDelay } from '../wire/retry.ts'
import { dropExcess, type Entry, type LogQueue } from './log-queue.ts'

/*
 * Sends queued entries in batches, one request at a time.
 *
 *   ready ──404 or no response──▶ unverified ──successful GET /api/check──▶ ready
 *
 * After a failed batch or check, nothing is sent before `#retryAt`. A batch that may succeed later (401, 404, 408, 429,
 * 5xx, no response) returns to its queue; any other error response drops it. A batch holds entries of one user only,
 * and is sent with the token if that user is still signed in.
 */

export interface SenderOptions {
  /** Origin of the server that collects the logs. */
  readonly url: string
  readonly http: Pick<Http, 'token'>
  session(): number
  /** Id of the current user. */
  user(): string | undefined
  /** Replaces the first delay of `clientLogRetry`, in milliseconds. */
  readonly retryDelay: number | undefined
}

/** The outcome of a batch: stored, to be sent again, or refused for good. */
type Outcome = 'stored' | 'retry' | 'rejected'

/** Time limit of one request, in milliseconds. */
const requestTimeout = 30_000
/** Statuses below 500 after which a batch is sent again. */
const retryStatuses = [401, 404, 408, 429]
/** Maximum size of all `keepalive` requests together, in bytes: browsers allow a page 64 KiB. */
const maxKeepaliveBytes = 60_000

export class LogSender {
  readonly #queues: readonly LogQueue[]
  readonly #options: SenderOptions
  #status: 'ready' | 'unverified' = 'ready'
  #failures = 0
  /** Earliest time of the next request, in milliseconds of `performance.now()`. */
  #retryAt = 0
  /** The current flush. */
  #flight: Promise<void> | undefined
  /** True if another flush was requested during the current flush. */
  #needsFlush = false
  /** Size of the `keepalive` requests under way. */
  #keepaliveBytes = 0

  constructor(queues: readonly LogQueue[], options: SenderOptions) {
    this.#queues = queues
    this.#options = options
  }

  /** Sends all queues. Resolves once they are empty or nothing can be sent. */
  flush(): Promise<void> {
    this.#needsFlush = true
    this.#flight ??= this.#sendAll().finally(() => {
      this.#flight = undefined
    })
    return this.#flight
  }

  /**
   * Sends the newest entries in requests that outlive the page. Entries beyond the size limit of such requests stay
   * queued.
   */
  sendBeforeUnload(): void {
    if (this.#status !== 'ready') return
    for (const queue of this.#queues) {
      // A UTF-16 unit takes up to three bytes.
      const batch = takeNewest(queue, (maxKeepaliveBytes - this.#keepaliveBytes) / 3)
      if (batch.entries.length === 0) continue
      void this.#post(queue, batch).then((outcome) => {
        if (outcome !== 'stored') putBack(queue, batch)
      })
    }
  }

  async #sendAll(): Promise<void> {
    while (this.#needsFlush && this.#maySend()) {
      this.#needsFlush = false
      if (this.#status === 'unverified') await this.#verify()
      for (const queue of this.#queues)
        while (this.#status === 'ready' && this.#maySend() && queue.entries.length > 0)
          await this.#sendBatch(queue)
    }
  }

  #maySend(): boolean {
    return performance.now() >= this.#retryAt
  }

  async #sendBatch(queue: LogQueue): Promise<void> {
    const batch = takeOldest(queue)
    const outcome = await this.#post(queue, batch)
    if (outcome === 'retry') {
      putBack(queue, batch)
      this.#backOff()
    } else {
      this.#failures = 0
      if (outcome === 'rejected') queue.dropped += batch.dropped + batch.entries.length
    }
  }

  #backOff(): void {
    const { retryDelay: baseMs = clientLogRetry.baseMs } = this.#options
    const delay = retryDelay({ ...clientLogRetry, baseMs }, this.#failures++)
    this.#retryAt = performance.now() + delay
  }

  /** Checks whether the server is available. */
  async #verify(): Promise<void> {
    const response = await fetch(`${this.#options.url}/api/check`, {
      signal: AbortSignal.timeout(requestTimeout),
    }).catch(() => undefined)
    if (response?.ok) this.#status = 'ready'
    else this.#backOff()
  }

  async #post(queue: LogQueue, batch: Batch): Promise<Outcome> {
    const { url, http, session, user } = this.#options
    const body = encodeBatch(queue, batch)
    const isSameUser = batch.entries[0]?.user === user()
    const bytes = new TextEncoder().encode(body).length
    const keepalive = this.#keepaliveBytes + bytes <= maxKeepaliveBytes
    if (keepalive) this.#keepaliveBytes += bytes
    try {
      const { ok, status } = await fetch(`${url}/api/logger`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'X-Session-id': `${session()}`,
          ...(isSameUser && http.token && { Authorization: `Bearer ${http.token}` }),
        },
        body,
        keepalive,
        signal: AbortSignal.timeout(requestTimeout),
      })
      if (status === 404) this.#status = 'unverified'
      if (ok) return 'stored'
      return status >= 500 || retryStatuses.includes(status) ? 'retry' : 'rejected'
    } catch {
      this.#status = 'unverified'
      return 'retry'
    } finally {
      if (keepalive) this.#keepaliveBytes -= bytes
    }
  }
}

/** Entries taken from a queue, all of one user. */
interface Batch {
  readonly entries: readonly Entry[]
  /** Number of entries dropped before them. */
  readonly dropped: number
}

function encodeBatch(queue: LogQueue, { dropped, entries }: Batch): string {
  const note = dropped > 0 ? [queue.format('WARNING', `${dropped} older entries were dropped`)] : []
  const texts = [...note, ...entries.map(({ text }) => text)]
  return `{"logType":"${queue.type}","logData":[${texts.join(',')}]}`
}

/** Takes the oldest entries. A note about dropped entries counts as an entry. */
function takeOldest(queue: LogQueue): Batch {
  const { dropped, entries } = queue
  queue.dropped = 0
  const maxSize = queue.batchSize - (dropped > 0 ? 1 : 0)
  const otherUser = entries.findIndex(({ user }) => user !== entries[0]?.user)
  const size = otherUser < 0 ? maxSize : Math.min(otherUser, maxSize)
  return { entries: entries.splice(0, size), dropped }
}

/** Takes as many of the newest entries as fit into `maxCharacters` together. */
function takeNewest({ entries, batchSize }: LogQueue, maxCharacters: number): Batch {
  const otherUser = entries.findLastIndex(({ user }) => user !== entries.at(-1)?.user)
  const first = Math.max(0, entries.length - batchSize, otherUser + 1)
  let from = entries.length
  let charactersLeft = maxCharacters
  while (from > first && charactersLeft >= 0) charactersLeft -= entries[--from]?.text.length ?? 0
  return { entries: entries.splice(charactersLeft < 0 ? from + 1 : from), dropped: 0 }
}

function putBack(queue: LogQueue, { entries, dropped }: Batch): void {
  queue.dropped += dropped
  queue.entries.unshift(...entries)
  dropExcess(queue)
}
