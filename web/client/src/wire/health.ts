import { WeftError } from '../graph/error.ts'
import type { Http } from './http.ts'
import { parse, said } from './json.ts'
import { userOf } from './token.ts'
import { ignore, jitter, longestWait } from './wait.ts'

/** How long to wait before asking a silent server again: doubled each time. */
const firstWait = 1_000
/** The longest that a server may ask to be left alone. */
const longestPause = 3_600_000

/** What is done when the server does not answer as it should, or to see how it is. Loaded once the page has started. */
export function healthOf(http: Http) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let renewing: Promise<unknown> | undefined
  /** What the server asked to wait. */
  let pause = 0
  http.closed.addEventListener('abort', stop)

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
  }

  /** Asks how the server is, and which store it has. Rejects when there is no answer. */
  async function ask(): Promise<string | undefined> {
    stop()
    const { answer, text } = await http.ask('/api/health', {})
    const { store } = said<{ store: string }>(text)
    if (!answer.ok) http.doubt()
    else {
      http.met(store)
      http.heard(true)
    }
    return store
  }

  /** Asks when it is time. */
  function wait(): void {
    if (timer !== undefined || http.closed.aborted) return
    const usual = Math.min(firstWait * 2 ** http.failures++, longestWait)
    timer = setTimeout(() => void ask().catch(ignore), Math.max(jitter(usual), pause))
    pause = 0
  }

  /** Says whether there is another token than one that was refused, of the same user. */
  async function isRenewed(old: string | undefined): Promise<boolean> {
    if (http.token === old) {
      renewing ??= http
        .renew?.()
        .catch(ignore)
        .finally(() => {
          renewing = undefined
        })
      await renewing
    }
    return http.token !== old && userOf(http.token) === userOf(old)
  }

  function refused({ status, headers }: Response, text: string, path: string): WeftError {
    pause = pauseOf(headers.get('Retry-After'))
    return refusal(status, text, path)
  }

  return { ask, wait, isRenewed, refused }
}

/**
 * What an answer with an error status, or without JSON, says. A page is from something in between. Where the server
 * itself did not say what is wrong the status is the cause: what is in between may be of another mind later.
 */
export function refusal(status: number, text: string, path: string): WeftError {
  const { kind, message } = said<WeftError>(text)
  const isPage = status < 400 || (text !== '' && parse(text) === undefined)
  const isLater = status === 408 || status === 429
  const usual =
    status === 401
      ? 'unauthorized'
      : status === 413
        ? 'tooLarge'
        : status >= 500 || isLater || isPage
          ? 'unavailable'
          : 'invalid'
  return new WeftError(
    isLater ? usual : (kind ?? usual),
    message ?? `${path} answered ${status < 400 ? 'no JSON' : status}`,
    kind ? undefined : status,
  )
}

/** How long a `Retry-After` asks to wait, in milliseconds. It says seconds, or a date. */
export function pauseOf(text: string | null): number {
  const seconds = Number(text ?? 0)
  const wait = Number.isNaN(seconds) ? Date.parse(text ?? '') - Date.now() : 1000 * seconds
  return Math.min(Math.max(wait || 0, 0), longestPause)
}
