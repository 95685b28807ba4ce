import { createClient } from '@weft/client'
import { createAccountClient, keepClientSignedIn } from '@weft/client/account'
import { registerWorker } from '@weft/client/worker'

const { VITE_WEFT: url = 'http://127.0.0.1:8080' } = import.meta.env

export const weft = createClient({ url, application: 'todo' })
export const account = createAccountClient(url)

// Passes the token of the account to the client after every sign-in and sign-out, in every tab.
keepClientSignedIn(account, weft)
if (import.meta.env.PROD) registerWorker(weft, { script: '/worker.js' })
