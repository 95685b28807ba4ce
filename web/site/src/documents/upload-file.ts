import { createClient } from '@weft/client'
import { keepClientSignedIn } from '@weft/client/account'
import { uploadFile as sendFile } from '@weft/client/services'
import { account } from '../account/client.ts'

/** Uploads as the signed-in user. Stores nothing in the browser. */
const weft = createClient({
  url: location.origin,
  application: 'documents',
  servers: [],
  storage: 'memory',
})
keepClientSignedIn(account, weft)

/**
 * Uploads a file and reports the progress from 0 to 1. Rejects with a WeftError, or with the reason of the signal
 * if it was aborted.
 */
export const uploadFile = (
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<unknown> => sendFile(weft, file, { onProgress, signal })
