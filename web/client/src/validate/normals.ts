import type { Client } from '../api.ts'
import { WeftError } from '../graph/error.ts'
import { judge, type Normal, type Verdict } from './anomaly.ts'

/** Compares values with what a server says is usual for their types. */
export interface AnomalyCheck {
  /** Rejects with a WeftError, `unavailable`, while nothing is known. */
  check(type: string, value: string | null | undefined): Promise<Verdict>
  /** Checks one value of each type. */
  checkAll(values: Values): Promise<Readonly<Record<string, Verdict>>>
  /** At once, by what is known: before anything is, no value is valid, and nothing says why. */
  checkNow(type: string, value: string | null | undefined): Verdict
}

/** Values by the names of their types. */
type Values = Readonly<Record<string, string | null | undefined>>

/**
 * Asks at once what is normal, and again when something is to be checked later.
 *
 * @param believed how long an answer is good, in milliseconds; servers look every ten minutes
 */
export function anomalyCheck(client: Pick<Client, 'fetch'>, believed = 600_000): AnomalyCheck {
  let known: Known | undefined
  let asked = 0
  let flight: Promise<Known> | undefined

  /** What was known before stays known where the server does not answer. */
  async function normals(): Promise<Known> {
    if (known && performance.now() - asked < believed) return known
    flight ??= ask().finally(() => {
      flight = undefined
    })
    return flight.catch((e: unknown) => {
      if (known) return known
      throw e
    })
  }

  async function ask(): Promise<Known> {
    try {
      const answer = await client.fetch('/api/v1/get-frontend-anomaly-parameters')
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`)
      known = knownIn(await answer.json())
      asked = performance.now()
      return known
    } catch (e) {
      throw new WeftError('unavailable', 'nobody can say what is normal', e)
    }
  }

  const checkNow: AnomalyCheck['checkNow'] = (type, value) =>
    known || !value ? judge(known ?? {}, type, value) : { valid: false, warnings: [] }
  void normals().catch(() => {
    // Who checks something asks again.
  })
  return {
    checkNow,
    check: async (type, value) => judge(await normals(), type, value),
    async checkAll(values) {
      const all = await normals()
      return Object.fromEntries(
        Object.entries(values).map(([type, value]) => [type, judge(all, type, value)]),
      )
    },
  }
}

/** What a server says of types, as far as it says enough. */
function knownIn(answer: unknown): Known {
  const { data } = (answer ?? {}) as { data?: Readonly<Record<string, Partial<Normal> | null>> }
  if (typeof data !== 'object' || data === null) throw new Error('the answer says nothing of types')
  const usable = Object.entries(data).filter(([, normal]) => Array.isArray(normal?.data_types))
  return Object.fromEntries(usable) as Known
}

type Known = Readonly<Record<string, Normal>>
