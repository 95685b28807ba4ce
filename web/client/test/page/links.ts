import { type Client, createClient } from '../../src/index.ts'
import * as records from '../../src/records/index.ts'

declare global {
  interface Window {
    weft: Client
    records: typeof records
  }
}

window.records = records
window.weft = createClient({
  url: new URLSearchParams(location.search).get('weft') ?? '',
  application: 'links',
})
