import { createClient } from '@weft/client'
import { keepSigned } from '@weft/client/account'
import { account } from '../account/own.ts'

/** Lives as long as the page, so that leaving the editor and coming back shows the ideas at once. */
export const weft = createClient({ url: location.origin, application: 'ideas', servers: [] })
keepSigned(account, weft)
