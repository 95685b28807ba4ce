import { createClient } from '@weft/client'
import { keepClientSignedIn } from '@weft/client/account'
import { account } from '../account/client.ts'

/** The client of the editor. It lives as long as the document, so that returning to the editor shows the ideas immediately. */
export const weft = createClient({ url: location.origin, application: 'ideas', servers: [] })
keepClientSignedIn(account, weft)
