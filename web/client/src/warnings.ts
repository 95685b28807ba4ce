import type { Internals } from './internals.ts'
import type { Answer, Query } from './query/query.ts'
import { ignoreError } from './wire/retry.ts'

declare const process: { readonly env: { readonly NODE_ENV?: string | undefined } }

/** Maximum number of different warnings. */
const maxWarnings = 1_000

/** Passes each warning of a client on once. Does nothing if warnings are off. */
export class Warnings {
  readonly #pass: ((message: string) => void) | undefined
  readonly #seen = new Set<string>()
  /** The queries, as JSON, to be checked when the server answers them. */
  readonly #unchecked = new Set<string>()
  /** The queries, as JSON, that have been checked. */
  readonly #checked = new Set<string>()

  constructor(pass: ((message: string) => void) | undefined) {
    this.#pass = pass
  }

  readonly warn = (message: string): void => {
    if (!this.#pass || this.#seen.size >= maxWarnings || this.#seen.has(message)) return
    this.#seen.add(message)
    this.#pass(message)
  }

  /** Registers a query of the application, so that it is checked when the server answers it. */
  onQuery(query: Query): void {
    if (!this.#pass || this.#checked.size >= maxWarnings) return
    const text = JSON.stringify(query)
    if (!this.#checked.has(text)) this.#unchecked.add(text)
  }

  onAnswer(internals: Internals, text: string, answer: Answer): void {
    if (!this.#unchecked.delete(text)) return
    this.#checked.add(text)
    const isEmpty = answer.roots.length === 0
    import('./query-warnings.ts')
      .then((code) => code.warnAboutQuery(internals, JSON.parse(text), isEmpty, this.warn))
      .catch(ignoreError)
  }
}

/** Returns the handler of warnings for an application without `onWarning`; undefined if warnings are off. */
export const defaultWarning = (): ((message: string) => void) | undefined =>
  // biome-ignore lint/suspicious/noConsole: during development only
  isDevelopment() ? (message) => console.warn(`weft: ${message}`) : undefined

/**
 * Reports whether the application is being developed: `NODE_ENV` is `development`, or nothing sets `NODE_ENV` and the page
 * is served by this computer. Bundlers replace `process.env.NODE_ENV`.
 */
function isDevelopment(): boolean {
  let mode: string | undefined
  try {
    mode = process.env.NODE_ENV
  } catch {
    // A page has no `process`.
  }
  if (mode !== undefined) return mode === 'development'
  return /^(localhost|127\.0\.0\.1|\[::1\])$/.test(globalThis.location?.hostname ?? '')
}
