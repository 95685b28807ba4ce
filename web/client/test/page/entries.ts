import * as account from '../../src/account/index.ts'
import { createClient } from '../../src/index.ts'
import * as services from '../../src/services/index.ts'
import * as transaction from '../../src/transaction/index.ts'

declare global {
  interface Window {
    account: typeof account
    services: typeof services
    transaction: typeof transaction
    /** What the token is renewed to. */
    fresh?: string
  }
}

const asked = new URLSearchParams(location.search)
window.account = account
window.services = services
window.transaction = transaction
window.weft = createClient({
  url: asked.get('weft') ?? '',
  application: 'test',
  refresh: async () => window.fresh,
})
