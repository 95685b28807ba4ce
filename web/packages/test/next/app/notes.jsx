'use client'

import { createClient } from '@weft/client'
import { boolean, defineSchema, text } from '@weft/client/schema'
import { useQuery, useSyncStatus, WeftProvider } from '@weft/react'
import { SearchSelect } from '@weft/react/select'

const schema = defineSchema({ note: { text: text().required(), done: boolean().default(false) } })
const weft = createClient({
  url: process.env.NEXT_PUBLIC_WEFT,
  application: 'next',
  schema,
  // A page that is rendered on a server must not keep records of its users.
  ...(typeof window === 'undefined' && { storage: 'memory' }),
})

export function Notes() {
  return (
    <WeftProvider client={weft}>
      <List />
    </WeftProvider>
  )
}

function List() {
  const notes = useQuery(weft.find('note'))
  const { state } = useSyncStatus()
  return (
    <main>
      <h1>Notes</h1>
      <p role="status">{`${notes.status}, ${state}`}</p>
      <button type="button" onClick={() => weft.create('note', { text: 'Buy thread' })}>
        Add
      </button>
      <ul>
        {notes.data.map(({ id, text }) => (
          <li key={id}>{text}</li>
        ))}
      </ul>
      <SearchSelect type="the_note" selector="the_note_text" label="Find" />
    </main>
  )
}
