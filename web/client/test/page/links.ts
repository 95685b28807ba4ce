import * as records from '../../src/graph/index.ts'
import { type Client, createClient } from '../../src/index.ts'

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
