import type { Client } from '../api.ts'
import { WeftError } from '../graph/error.ts'

/** How long what an earlier visit left may take to be here. */
const patience = 25_000

/** Resolves when what an earlier visit left in the browser is here. Rejects with `not` when that takes too long. */
export function whenLoaded({ ready }: Pick<Client, 'ready'>, most = patience): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new WeftError('unavailable', 'not')), most)
    ready.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
