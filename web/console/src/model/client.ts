import { createClient } from '@weft/client'
import { createAccountClient, getStoredProfile, keepClientSignedIn } from '@weft/client/account'

/** The account client of the server that serves the console. */
export const account = createAccountClient(location.origin)

/** The client of all rooms. Its outbox has its own database, so other applications of this origin do not share writes with it. */
export const client = createClient({
  url: location.origin,
  application: 'console',
  token: getStoredProfile()?.token,
  refresh: async () => (await account.refreshSession())?.token,
})

keepClientSignedIn(account, client)
