import { type Client, createClient, type LiveQuery } from '../../src/index.ts'

declare global {
  interface Window {
    weft: Client
    notes: LiveQuery<Note>
    /** Notes that are done and cost less than 10. */
    cheap: LiveQuery<Note>
  }
}

/** A note in the format DATAID. */
interface Note {
  readonly id: number
  readonly data: { readonly the_note: { readonly text: { readonly data: { the_text: string } } } }
}

const params = new URLSearchParams(location.search)
window.weft = createClient({ url: params.get('weft') ?? '', application: 'test' })
const token = params.get('token')
if (token) {
  // Simulates an application that first reads the token from an asynchronous source.
  for (let i = 0; i < Number(params.get('late')); i++) await undefined
  window.weft.setToken(token)
}
window.notes = window.weft.query<Note>({ type: 'the_note', selectors: ['self'], pageSize: 100 })
window.notes.subscribe(() => {})
window.cheap = window.weft.query<Note>({
  type: 'the_note',
  selectors: ['self'],
  hops: [{ connection: 'self', name: 'inside' }],
  filters: [
    { name: 'done', on: 'inside', type: 'the_done', search: 'true' },
    { name: 'dear', on: 'inside', type: 'the_price', op: '>=', search: '10' },
  ],
  logic: 'done AND NOT dear',
})
