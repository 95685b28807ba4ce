import { createClient } from '@weft/client'
import { createAccount, keepSigned } from '@weft/client/account'
import { registerWorker } from '@weft/client/worker'

const { VITE_WEFT: url = 'http://127.0.0.1:8080' } = import.meta.env

export const weft = createClient({ url, application: 'todo' })
export const account = createAccount(url)

keepSigned(account, weft)
if (import.meta.env.PROD) registerWorker(weft, { script: '/worker.js' })
