import type { Fields } from '@weft/client'
import { useWeft, WeftProvider } from '@weft/react'
import { useState } from 'react'
import { weft } from './client.ts'
import { Composer } from './composer.tsx'
import { NoteList } from './list.tsx'
import { SyncBadge } from './sync-badge.tsx'
import { Undo } from './undo.tsx'
import './notes.css'

/** A notes list that works without a network. */
export function NotesApp() {
  return (
    <WeftProvider client={weft}>
      <section className="notes" aria-label="Notes">
        <Notes />
      </section>
    </WeftProvider>
  )
}

function Notes() {
  const weft = useWeft()
  const [removed, setRemoved] = useState<Fields>()
  return (
    <>
      <Composer />
      <SyncBadge />
      <NoteList onRemoved={setRemoved} />
      {removed && (
        <Undo
          note={removed}
          undo={() => weft.create('the_note', removed)}
          leave={() => setRemoved(undefined)}
        />
      )}
    </>
  )
}
