import type { Client } from '../api.ts'
import { WeftError } from '../graph/error.ts'
import { insideOf } from '../inside.ts'
import { refusal } from '../wire/health.ts'
import { said } from '../wire/json.ts'

/** Asks the server as whoever is signed in. Rejects with a WeftError in the server's words, or as the signal says. */
export async function ask<T>(
  client: Client,
  path: string,
  init: RequestInit = {},
): Promise<Partial<T>> {
  let status: number
  let text: string
  try {
    const answer = await insideOf(client).http.get(path, init)
    status = answer.status
    text = await answer.text()
  } catch (e) {
    throw init.signal?.aborted ? e : unanswered(path, e)
  }
  return answered<T>(status, text, path)
}

export const unanswered = (path: string, cause?: unknown): WeftError =>
  new WeftError('unavailable', `${path} got no answer`, cause)

/** What an answer says; throws what it refuses, in the server's words, or in these where it has none. */
export function answered<T>(
  status: number,
  text: string,
  path: string,
  words?: string,
): Partial<T> {
  const answer = said<T & { message: string }>(text)
  if (status >= 200 && status < 300) return answer
  const error = refusal(status, text, path)
  throw words && !answer.message ? new WeftError(error.kind, words) : error
}

/** A body of JSON, and what says so. */
export const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})
