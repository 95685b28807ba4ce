import { createClient } from '@weft/client'
import { registerWorker } from '@weft/client/worker'
import { schema } from './schema.ts'

/** The server. The variable VITE_WEFT replaces it when the application is built. */
const { VITE_WEFT: url = '__SERVER__' } = import.meta.env

export const weft = createClient({ url, application: '__NAME__', schema })

if (import.meta.env.PROD) registerWorker(weft.raw, { script: '/worker.js' })
