import { createClient } from '@weft/client'
import { keepClientSignedIn } from '@weft/client/account'
import { account } from '../account/client.ts'

/** The client of the demo. It lives as long as the document, so that returning to the demo shows the notes immediately. */
export const weft = createClient({ url: location.origin, application: 'demo', servers: [] })
keepClientSignedIn(account, weft)
