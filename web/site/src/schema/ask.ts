import { account } from '../account/own.ts'

/** What the server made of a query. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly took: number }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'silent' }

/** What is shown of an answer, in the words of the wire. */
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

/** Sends a query as it is written, and asks for records and the plan unless it says otherwise. */
export async function run(query: object, explain: boolean): Promise<Outcome> {
  const start = performance.now()
  try {
    const answer = await account.fetch('/api/freeschema-query', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ outputFormat: 1, ...(explain && { explain: true }), ...query }),
    })
    const json: unknown = await answer.json()
    const took = performance.now() - start
    if (answer.ok) return { kind: 'answer', answer: json as Answer, took }
    return { kind: 'refused', message: (json as { message: string }).message }
  } catch {
    return { kind: 'silent' }
  }
}
