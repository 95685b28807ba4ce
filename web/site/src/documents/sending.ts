import { createClient } from '@weft/client'
import { keepSigned } from '@weft/client/account'
import { upload } from '@weft/client/services'
import { account } from '../account/own.ts'

/** Uploads as whoever is signed in. Keeps nothing in the browser. */
const weft = createClient({
  url: location.origin,
  application: 'documents',
  servers: [],
  storage: 'memory',
})
keepSigned(account, weft)

/**
 * Sends a file, and tells how far it has got, from 0 to 1. Rejects with a WeftError, or with the reason of the signal,
 * which cancels.
 */
export const send = (
  file: File,
  progress: (share: number) => void,
  signal: AbortSignal,
): Promise<unknown> => upload(weft, file, { progress, signal })
