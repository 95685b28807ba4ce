import { createClient, type Query, type WeftError } from '@weft/client'

/** Reads what everybody may read, for the applications that only look. Keeps nothing in the browser. */
export const weft = createClient({
  url: location.origin,
  application: 'site',
  servers: [],
  storage: 'memory',
})

/** One record of an answer: the concept, and under the name of its type what hangs on it. */
export interface Found {
  readonly id: number
  readonly data: Readonly<Record<string, unknown>>
}

/** Asks once. Rejects with a WeftError when the server does not answer, or refuses. */
export function ask(query: Query): Promise<{ found: readonly Found[]; total: number }> {
  const live = weft.query<Found>(query)
  return new Promise((resolve, reject: (error: WeftError) => void) => {
    const settle = () => {
      const state = live.get()
      if (state.status === 'loading' || (state.status === 'ready' && !state.complete)) return
      stop()
      if (state.status === 'error') reject(state.error)
      else resolve({ found: state.data, total: state.total ?? state.data.length })
    }
    const stop = live.subscribe(settle)
    settle()
  })
}

/** What a connection leads to from a record of an answer. A text leads nowhere. */
export function follow(at: Found, connection: string): readonly Found[] {
  const inside = at.data[Object.keys(at.data)[0] ?? '']
  if (typeof inside !== 'object' || inside === null) return []
  const next = (inside as Record<string, Found | readonly Found[] | undefined>)[connection]
  if (next === undefined) return []
  return Array.isArray(next) ? next : [next as Found]
}

/** The text of a concept that an answer has brought. */
export const textOf = (at: Found | undefined): string =>
  at === undefined ? '' : (weft.concept(at.id)?.value ?? '')
