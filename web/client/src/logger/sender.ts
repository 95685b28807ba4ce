import type { Http } from '../wire/http.ts'
import { type Entry, type Log, trim } from './log.ts'

export interface SenderOptions {
  /** Origin of the server that keeps logs. */
  readonly url: string
  readonly http: Pick<Http, 'token'>
  session(): number
  /** Who is signed in. */
  user(): string | undefined
  /** How long to leave a server alone that did not take a batch, in milliseconds; half a second more each time. */
  readonly pause: number
}

/** What became of a batch. `again`: it may be taken later. `refused`: it never will be. */
type Outcome = 'taken' | 'again' | 'refused'

/** Bytes that a browser sends for a page that is left; all its requests share 64 KiB. */
const afterwards = 60_000

/** Sends what waits in logs, one batch after the other. */
export class Sender {
  readonly #logs: readonly Log[]
  readonly #options: SenderOptions
  /** Says whether the server is there and keeps logs. */
  #active = true
  #failures = 0
  /** When the server may be asked again. */
  #next = 0
  #flight: Promise<void> | undefined
  #again = false
  /** Bytes on their way that would arrive also if the page were left. */
  #surviving = 0

  constructor(logs: readonly Log[], options: SenderOptions) {
    this.#logs = logs
    this.#options = options
  }

  /** Sends everything. Resolves once that is done, or cannot be. */
  send(): Promise<void> {
    this.#again = true
    this.#flight ??= this.#sendAll().finally(() => {
      this.#flight = undefined
    })
    return this.#flight
  }

  /** Hands to the browser what it sends though the page goes: the newest. What is too much waits. */
  leave(): void {
    if (!this.#active) return
    for (const log of this.#logs) {
      const batch = newest(log, (afterwards - this.#surviving) / 3)
      if (batch.entries.length === 0) continue
      void this.#post(log, batch).then((outcome) => {
        if (outcome !== 'taken') giveBack(log, batch)
      })
    }
  }

  async #sendAll(): Promise<void> {
    while (this.#again && performance.now() >= this.#next) {
      this.#again = false
      this.#active ||= await this.#probe()
      for (const log of this.#logs)
        while (this.#active && performance.now() >= this.#next && log.entries.length > 0)
          await this.#sendBatch(log)
    }
  }

  async #sendBatch(log: Log): Promise<void> {
    const batch = oldest(log)
    const outcome = await this.#post(log, batch)
    if (outcome === 'again') {
      giveBack(log, batch)
      this.#failed()
    } else {
      this.#failures = 0
      if (outcome === 'refused') log.dropped += batch.dropped + batch.entries.length
    }
  }

  #failed(): void {
    this.#next = performance.now() + this.#options.pause + 500 * this.#failures++
  }

  async #probe(): Promise<boolean> {
    const answer = await fetch(`${this.#options.url}/api/check`, {
      signal: AbortSignal.timeout(patience),
    }).catch(() => undefined)
    if (!answer?.ok) this.#failed()
    return answer?.ok ?? false
  }

  async #post(log: Log, batch: Batch): Promise<Outcome> {
    const { url, http, session, user } = this.#options
    const { dropped, entries } = batch
    const line = dropped > 0 ? [log.entry('WARNING', `${dropped} older entries were dropped`)] : []
    const texts = [...line, ...entries.map(({ text }) => text)]
    const body = `{"logType":"${log.type}","logData":[${texts.join(',')}]}`
    const theirs = entries[0]?.user === user()
    const bytes = new TextEncoder().encode(body).length
    const keepalive = this.#surviving + bytes <= afterwards
    if (keepalive) this.#surviving += bytes
    try {
      const { ok, status } = await fetch(`${url}/api/logger`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'X-Session-id': `${session()}`,
          ...(theirs && http.token && { Authorization: `Bearer ${http.token}` }),
        },
        body,
        keepalive,
        signal: AbortSignal.timeout(patience),
      })
      if (status === 404) this.#active = false
      if (ok) return 'taken'
      return status >= 500 || [401, 404, 408, 429].includes(status) ? 'again' : 'refused'
    } catch {
      this.#active = false
      return 'again'
    } finally {
      if (keepalive) this.#surviving -= bytes
    }
  }
}

/** How long a request may take, in milliseconds. */
const patience = 30_000

interface Batch {
  /** Of one user. What is left of somebody who has gone is sent as by nobody. */
  readonly entries: readonly Entry[]
  /** How many before them are gone. */
  readonly dropped: number
}

/** Takes the oldest out; a line about those that are gone counts as one. */
function oldest(log: Log): Batch {
  const { dropped, entries } = log
  log.dropped = 0
  const most = log.batch - (dropped > 0 ? 1 : 0)
  const other = entries.findIndex(({ user }) => user !== entries[0]?.user)
  return { entries: entries.splice(0, other < 0 ? most : Math.min(other, most)), dropped }
}

/** Takes the newest out, of so many characters together at most. */
function newest({ entries, batch }: Log, characters: number): Batch {
  const other = entries.findLastIndex(({ user }) => user !== entries.at(-1)?.user)
  const first = Math.max(0, entries.length - batch, other + 1)
  let from = entries.length
  let left = characters
  while (from > first && left >= 0) left -= entries[--from]?.text.length ?? 0
  return { entries: entries.splice(left < 0 ? from + 1 : from), dropped: 0 }
}

function giveBack(log: Log, { entries, dropped }: Batch): void {
  log.dropped += dropped
  log.entries.unshift(...entries)
  trim(log)
}
