import { type Client, createClient, type LiveQuery } from '../../src/index.ts'

declare global {
  interface Window {
    weft: Client
    notes: LiveQuery<Note>
  }
}

/** A note as DATAID shapes it. */
interface Note {
  readonly id: number
  readonly data: { readonly the_note: { readonly text: { readonly data: { the_text: string } } } }
}

const url = new URLSearchParams(location.search).get('weft') ?? ''
window.weft = createClient({ url, application: 'test' })
window.notes = window.weft.query<Note>({ type: 'the_note', selectors: ['self'], pageSize: 100 })
window.notes.subscribe(() => {})
