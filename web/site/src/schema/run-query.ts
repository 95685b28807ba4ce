import { account } from '../account/client.ts'

/** The outcome of sending a query. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Answer; readonly roundTripMs: number }
  | { readonly kind: 'rejected'; readonly message: string }
  | { readonly kind: 'unreachable' }

/** The parts of a query result that are shown, with the field names of the HTTP API. */
export interface Answer {
  readonly mainCompositionIds: readonly number[]
  readonly mainCount: number
  readonly mainCountAtLeast?: boolean
  readonly linkers: readonly number[]
  readonly data?: readonly unknown[]
  readonly plan?: string
  readonly groups?: readonly {
    readonly name: string
    readonly distinct: number
    readonly top: readonly { readonly id: number; readonly value: string; readonly count: number }[]
  }[]
}

/**
 * Sends a query. By default it asks for whole records, and for the plan if `explain` is true. Members of `query` override
 * both.
 */
export async function runQuery(query: object, explain: boolean): Promise<Outcome> {
  const start = performance.now()
  try {
    const response = await account.fetch('/api/freeschema-query', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ outputFormat: 1, ...(explain && { explain: true }), ...query }),
    })
    const json: unknown = await response.json()
    const roundTripMs = performance.now() - start
    if (response.ok) return { kind: 'answered', answer: json as Answer, roundTripMs }
    return { kind: 'rejected', message: (json as { message: string }).message }
  } catch {
    return { kind: 'unreachable' }
  }
}
