import { useMemo, useState, useSyncExternalStore } from 'react'
import { useConsole } from '../model/console.tsx'
import { useLocation } from '../model/router.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Link } from '../parts/link.tsx'
import { Menu, MenuItem } from '../parts/menu.tsx'

/** The type of saved questions. They are private records of the user, and available offline. */
const savedType = 'the_console_query'

/** A saved question. */
export interface SavedQuestion {
  readonly id: number
  readonly title: string
  /** The last segment of its address. */
  readonly slug: string
  /** The search parameters of the address `/ask`, without the question mark. */
  readonly search: string
}

interface SavedRow {
  readonly id: number
  readonly the_console_query?: {
    readonly title?: string
    readonly slug?: string
    readonly search?: string
  }
}

/** Returns the user's saved questions, ordered by title; undefined until they are loaded. */
export function useSaved(): readonly SavedQuestion[] | undefined {
  const { client, session } = useConsole()
  const live = useMemo(
    () =>
      client.query<SavedRow>(
        {
          type: savedType,
          selectors: ['self'],
          pageSize: 500,
          filters: [{ name: 'mine', type: 'user_id', search: session.userId ?? 0 }],
          logic: 'mine',
        },
        { format: 'NORMAL' },
      ),
    [client, session.userId],
  )
  const state = useSyncExternalStore(live.subscribe, live.get)
  return useMemo(() => {
    if (state.status !== 'ready') return undefined
    return state.data
      .map(({ id, the_console_query: saved }) => ({
        id,
        title: saved?.title ?? '',
        slug: saved?.slug ?? '',
        search: saved?.search ?? '',
      }))
      .toSorted((a, b) => a.title.localeCompare(b.title))
  }, [state])
}

/** The list of saved questions. */
export function SavedMenu({ saved }: { saved: readonly SavedQuestion[] }) {
  const { client, navigate, undo } = useConsole()
  const remove = ({ id, title }: SavedQuestion) => {
    const { undo: restore } = client.remove(id)
    undo.push({
      label: `Removed the saved question “${title}”`,
      undo: () => restore(),
      redo: () => client.remove(id),
    })
  }
  return (
    <Menu
      label={`Saved ${saved.length} ${saved.length === 1 ? 'question' : 'questions'}`}
      button={`Saved ${saved.length}`}
    >
      {saved.length === 0 && <p className="menu-title">No question is saved yet.</p>}
      {saved.map((one) => (
        <div key={one.id} className="saved-row">
          <MenuItem run={() => navigate(`/ask/q/${encodeURIComponent(one.slug)}`)}>
            {one.title}
          </MenuItem>
          <button
            type="button"
            className="button bare"
            aria-label={`Remove the saved question “${one.title}”`}
            onClick={() => remove(one)}
          >
            ✕
          </button>
        </div>
      ))}
    </Menu>
  )
}

interface SaveDialogProps {
  readonly isOpen: boolean
  readonly close: () => void
  readonly saved: readonly SavedQuestion[]
}

/**
 * Asks for a title and saves the question with the view of its answer, such as a table or a chart. A saved question with
 * the same slug is replaced: titles that differ only in case or punctuation have the same slug.
 */
export function SaveDialog({ isOpen, close, saved }: SaveDialogProps) {
  const { client, undo, navigate } = useConsole()
  const { params } = useLocation()
  const [title, setTitle] = useState('')
  const save = () => {
    const name = title.trim()
    if (name === '') return
    const fields = { title: name, slug: slugOf(name), search: params.toString() }
    const before = saved.find(({ slug }) => slug === fields.slug)
    if (before) {
      client.update(before.id, { title: name, search: fields.search })
      undo.push({
        label: `Saved “${name}” again`,
        undo: () => client.update(before.id, { title: before.title, search: before.search }),
        redo: () => client.update(before.id, { title: name, search: fields.search }),
      })
    } else {
      let { id } = client.create(savedType, fields)
      undo.push({
        label: `Saved “${name}”`,
        undo: () => client.remove(id),
        redo: () => {
          id = client.create(savedType, fields).id
        },
      })
    }
    close()
    navigate(`/ask/q/${fields.slug}`)
  }
  return (
    <Dialog title="Save this question" isOpen={isOpen} close={close} className="narrow">
      <form
        className="options"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <label className="field">
          <span>Title</span>
          <input
            ref={focusInDialog}
            value={title}
            maxLength={120}
            required
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
        </label>
        <button type="submit" className="button">
          Save
        </button>
      </form>
    </Dialog>
  )
}

/** Marks the field that a dialog focuses when it opens. Needed because React does not write the attribute `autofocus`. */
const focusInDialog = (field: HTMLInputElement | null) => field?.setAttribute('autofocus', '')

/** Returns the title as a segment of an address: `pens-by-city`. */
const slugOf = (title: string): string =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replace(/^-|-$/g, '') || 'question'

/** Shows that a saved question does not exist. */
export function NoSuchQuestion({ slug }: { slug: string }) {
  return (
    <div className="state">
      <h2>There is no saved question “{slug}”</h2>
      <p>It may have been removed, or belong to another user.</p>
      <p className="acts">
        <Link className="button quiet" to="/ask">
          Ask a new question
        </Link>
      </p>
    </div>
  )
}
