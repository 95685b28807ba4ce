import { createClient } from '@weft/client'
import { keepSigned } from '@weft/client/account'
import { account } from '../account/own.ts'

/** Lives as long as the page, so that leaving the demo and coming back shows the notes at once. */
export const weft = createClient({ url: location.origin, application: 'demo', servers: [] })
keepSigned(account, weft)
