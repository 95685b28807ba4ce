import type { Fields } from '@weft/client'
import { WeftProvider } from '@weft/react'
import { useRef, useState } from 'react'
import { weft } from './client.ts'
import { Composer } from './composer.tsx'
import { NoteList } from './list.tsx'
import { SyncBadge } from './sync-badge.tsx'
import { Undo } from './undo.tsx'
import { useKeptFocus } from './use-kept-focus.ts'
import './notes.css'

/** A notes list that works without a network. */
export function NotesApp() {
  const section = useRef<HTMLElement>(null)
  const expectFocus = useKeptFocus(section)
  const [removed, setRemoved] = useState<Fields>()
  const undo = (note: Fields) => {
    weft.create('the_note', note)
    expectFocus(0) // the newest note stands first
  }
  return (
    <WeftProvider client={weft}>
      <section ref={section} className="notes" aria-label="Notes">
        <Composer />
        <SyncBadge />
        <NoteList onRemoved={setRemoved} />
        {removed && <Undo note={removed} undo={undo} leave={() => setRemoved(undefined)} />}
      </section>
    </WeftProvider>
  )
}
