import type { Fields } from '@weft/client'
import { WeftProvider } from '@weft/react'
import { useRef, useState } from 'react'
import { weft } from './client.ts'
import { Composer } from './composer.tsx'
import { NoteList } from './list.tsx'
import { SyncBadge } from './sync-badge.tsx'
import { Undo } from './undo.tsx'
import { useFocusRecovery } from './use-focus-recovery.ts'
import './notes.css'

/** A list of notes that works without a network. */
export function NotesApp() {
  const section = useRef<HTMLElement>(null)
  const setFocusIndex = useFocusRecovery(section)
  const [deleted, setDeleted] = useState<Fields>()
  const restore = (note: Fields) => {
    weft.create('the_note', note)
    setFocusIndex(0) // the newest note is first
  }
  return (
    <WeftProvider client={weft}>
      <section ref={section} className="notes" aria-label="Notes">
        <Composer />
        <SyncBadge />
        <NoteList onDeleted={setDeleted} />
        {deleted && <Undo note={deleted} restore={restore} dismiss={() => setDeleted(undefined)} />}
      </section>
    </WeftProvider>
  )
}
