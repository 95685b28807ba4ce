import { type ErrorKind, placeOf, WeftError } from '../model/error.ts'
import { parseJson, parseRecord } from './json.ts'
import { ignoreError, retryDelay, serverRetry } from './retry.ts'
import { userFromToken } from './token.ts'

/*
 * Error handling of `Http`, loaded on demand: health checks, token renewal and the reading of error responses.
 *
 *   idle ──scheduleCheck──▶ scheduled ──timer, or check──▶ idle ──no response, or an error──▶ scheduled
 *
 * The delays are those of `serverRetry` in `retry.ts`. A `Retry-After` header can make the next delay longer, up to an
 * hour.
 */

/** Upper limit of a `Retry-After` header, in milliseconds. */
const maxRetryAfterMs = 3_600_000

/** The parts of `Http` that health checks use. */
interface HealthTarget {
  readonly closeSignal: AbortSignal
  token: string | undefined
  failures: number
  onStoreSeen(store: string | undefined): void
  renewToken: (() => Promise<unknown>) | undefined
  requestText(
    path: string,
    init: RequestInit,
    options: { readonly guest: string },
  ): Promise<{ readonly response: Response; readonly text: string }>
  reportUnreachable(): void
  setStatus(status: 'reachable'): void
}

/** Creates the health checks of one server. */
export function createServerHealth(http: HealthTarget) {
  /** Timer of the scheduled check; undefined while none is scheduled. */
  let timer: ReturnType<typeof setTimeout> | undefined
  let renewal: Promise<unknown> | undefined
  /** Minimum of the next delay, from the last `Retry-After` header. Reset to 0 when the next check is scheduled. */
  let retryAfterMs = 0
  http.closeSignal.addEventListener('abort', cancelCheck)

  function cancelCheck(): void {
    clearTimeout(timer)
    timer = undefined
  }

  /** Requests the server's health now and returns the id of its store. Rejects without a response. */
  async function check(): Promise<string | undefined> {
    cancelCheck()
    // The request has no token, because a refused token would say nothing about the server.
    const { response, text } = await http.requestText('/api/health', {}, { guest: '' })
    const { store } = parseRecord<{ store: string }>(text)
    if (!response.ok) {
      retryAfterMs = parseRetryAfter(response.headers.get('Retry-After'))
      http.reportUnreachable()
    } else {
      http.onStoreSeen(store)
      http.setStatus('reachable')
    }
    return store
  }

  /** Schedules the next check, unless one is scheduled. */
  function scheduleCheck(): void {
    if (timer !== undefined || http.closeSignal.aborted) return
    const delay = retryDelay(serverRetry, http.failures++, retryAfterMs)
    timer = setTimeout(() => void check().catch(ignoreError), delay)
    retryAfterMs = 0
  }

  /**
   * Renews a refused token, unless it has already been renewed. Resolves with true if there now is another token of the
   * same user. Concurrent calls share one renewal.
   */
  async function replaceToken(refused: string | undefined): Promise<boolean> {
    if (http.token === refused) {
      renewal ??= http
        .renewToken?.()
        .catch(ignoreError)
        .finally(() => {
          renewal = undefined
        })
      await renewal
    }
    return http.token !== refused && userFromToken(http.token) === userFromToken(refused)
  }

  /** Converts an error response to a WeftError, and stores its `Retry-After` for the next check. */
  function readRefusal({ status, headers }: Response, text: string, path: string): WeftError {
    retryAfterMs = parseRetryAfter(headers.get('Retry-After'))
    return toRefusal(status, text, path)
  }

  return { check, scheduleCheck, replaceToken, readRefusal }
}

/**
 * Converts a response that has an error status, or is not JSON, to a WeftError. If the server sent an error body, that
 * decides the kind. An HTML page comes from a proxy or a captive portal and counts as `unavailable`. An error without
 * an error body has the status as its cause: it may come from an intermediary, which may respond differently later.
 */
export function toRefusal(status: number, text: string, path: string): WeftError {
  const { kind, message, ...place } = parseRecord<WeftError>(text)
  const isPage = status < 400 || (text !== '' && parseJson(text) === undefined)
  const statusKind = isPage ? kindOfPage(status) : kindOfStatus(status)
  const error = new WeftError(
    isTemporary(status) ? statusKind : (kind ?? statusKind),
    message ?? `${path} responded with ${status < 400 ? 'something other than JSON' : status}`,
    kind ? undefined : status,
  )
  return Object.assign(error, placeOf(place))
}

function kindOfStatus(status: number): ErrorKind {
  if (status === 401) return 'unauthorized'
  if (status === 413) return 'tooLarge'
  return status >= 500 || isTemporary(status) ? 'unavailable' : 'invalid'
}

function kindOfPage(status: number): ErrorKind {
  const kind = kindOfStatus(status)
  return kind === 'invalid' ? 'unavailable' : kind
}

/** Reports whether a status means that the client should repeat the request later: a timeout, or too many requests. */
const isTemporary = (status: number): boolean => status === 408 || status === 429

/** Converts a `Retry-After` header, which is a number of seconds or a date, to milliseconds from now. */
export function parseRetryAfter(text: string | null): number {
  const seconds = Number(text ?? 0)
  const wait = Number.isNaN(seconds) ? Date.parse(text ?? '') - Date.now() : 1000 * seconds
  return Math.min(Math.max(wait || 0, 0), maxRetryAfterMs)
}
