import type { Client } from './api.ts'
import { WeftError } from './graph/error.ts'

/** How long who waits is patient, in ms: as the contract has it. */
const patience = 25_000

/**
 * Resolves when what an earlier visit left in the browser is here, as `client.ready` does, but rejects with the
 * text `not`, of the contract, where that takes longer than 25 seconds, or as many ms as given.
 */
export function whenLoaded(client: Client, longest = patience): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new WeftError('unavailable', 'not'))
    const timer = setTimeout(late, longest)
    client.ready.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
