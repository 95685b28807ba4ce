import * as account from '../../src/account/index.ts'
import { createClient } from '../../src/index.ts'
import * as services from '../../src/services/index.ts'
import * as transaction from '../../src/transaction/index.ts'

declare global {
  interface Window {
    account: typeof account
    services: typeof services
    transaction: typeof transaction
    /** The token that a renewal returns. */
    renewedToken?: string
  }
}

const params = new URLSearchParams(location.search)
window.account = account
window.services = services
window.transaction = transaction
window.weft = createClient({
  url: params.get('weft') ?? '',
  application: 'test',
  refresh: async () => window.renewedToken,
})
