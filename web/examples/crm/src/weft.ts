import { createClient } from '@weft/client'
import { createAccountClient, keepClientSignedIn } from '@weft/client/account'
import { registerWorker } from '@weft/client/worker'
import { schema } from './schema.ts'

/** The server. The variable VITE_WEFT replaces it when the application is built. */
const { VITE_WEFT: url = 'http://127.0.0.1:8080' } = import.meta.env

export const weft = createClient({ url, application: 'crm', schema })
export const account = createAccountClient(url)

keepClientSignedIn(account, weft.raw)
if (import.meta.env.PROD) registerWorker(weft.raw, { script: '/worker.js' })
