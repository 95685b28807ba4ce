import type { Client } from '../api.ts'
import { WeftError } from '../model/error.ts'
import { type AnomalyResult, checkAnomaly, type TypeNorms } from './anomaly.ts'

/** Compares values with the statistics of their types. */
export interface AnomalyCheck {
  /** Checks one value. Rejects with `unavailable` without statistics. */
  check(type: string, value: string | null | undefined): Promise<AnomalyResult>
  /** Checks one value for each type. Rejects as `check` does. */
  checkAll(values: Values): Promise<Readonly<Record<string, AnomalyResult>>>
  /**
   * Checks a value synchronously. Before the statistics are loaded, every value is invalid, and only an empty value has
   * a warning.
   */
  checkNow(type: string, value: string | null | undefined): AnomalyResult
}

/** Values by type name. */
type Values = Readonly<Record<string, string | null | undefined>>

/**
 * Loads the statistics of the server's types. A check after they expired loads them again. While the server cannot be
 * reached, expired statistics stay in use.
 *
 * @param maxAge time until the statistics expire, in milliseconds; servers update them every ten minutes
 */
export function createAnomalyCheck(client: Pick<Client, 'fetch'>, maxAge = 600_000): AnomalyCheck {
  let norms: NormsByType | undefined
  let loadedAt = 0
  let flight: Promise<NormsByType> | undefined

  async function getNorms(): Promise<NormsByType> {
    if (norms && performance.now() - loadedAt < maxAge) return norms
    flight ??= load().finally(() => {
      flight = undefined
    })
    return flight.catch((e: unknown) => {
      if (norms) return norms
      throw e
    })
  }

  async function load(): Promise<NormsByType> {
    try {
      const response = await client.fetch('/api/v1/get-frontend-anomaly-parameters')
      if (!response.ok) throw new Error(`the server responded with ${response.status}`)
      norms = parseNorms(await response.json())
      loadedAt = performance.now()
      return norms
    } catch (e) {
      throw new WeftError('unavailable', 'anomaly statistics are not available', e)
    }
  }

  const checkNow: AnomalyCheck['checkNow'] = (type, value) =>
    norms || !value ? checkAnomaly(norms ?? {}, type, value) : { valid: false, warnings: [] }
  void getNorms().catch(() => {
    // The next check loads them again.
  })
  return {
    checkNow,
    check: async (type, value) => checkAnomaly(await getNorms(), type, value),
    async checkAll(values) {
      const all = await getNorms()
      return Object.fromEntries(
        Object.entries(values).map(([type, value]) => [type, checkAnomaly(all, type, value)]),
      )
    },
  }
}

/** Decodes the response. Incomplete statistics are left out. */
function parseNorms(json: unknown): NormsByType {
  const { data } = (json ?? {}) as { data?: Readonly<Record<string, Partial<TypeNorms> | null>> }
  if (typeof data !== 'object' || data === null) throw new Error('the response has no statistics')
  const complete = Object.entries(data).filter(([, norms]) => Array.isArray(norms?.data_types))
  return Object.fromEntries(complete) as NormsByType
}

type NormsByType = Readonly<Record<string, TypeNorms>>
