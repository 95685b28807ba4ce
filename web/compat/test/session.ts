import { onTestFinished } from 'vitest'
import { startServer, tokenOf } from '../../client/test/server.ts'
import * as compat from '../src/index.ts'
import { closeClient, openClient } from '../src/start.ts'

/** Opens the package for one test, without a server. */
export const openOffline = (): typeof compat => openOn('http://127.0.0.1:1')

/** Opens the package for one test, on its own server, as a signed-in user. */
export async function openSignedIn(name = 'ann'): Promise<typeof compat> {
  const url = await startServer('--anonymous-writes')
  return openOn(url, await tokenOf(url, name))
}

/** Opens the package on a server for one test. */
export function openOn(url: string, token?: string): typeof compat {
  closeClient()
  openClient(url, '', token, { storage: 'memory' })
  onTestFinished(closeClient)
  return compat
}
