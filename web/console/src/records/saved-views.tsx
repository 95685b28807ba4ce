import { useQuery } from '@weft/react'
import { useMemo, useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { useLocation } from '../model/router.ts'
import type { ConsoleType } from '../model/types.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { createRecords, removeRecords } from './changes.ts'
import { useRights } from './rights.ts'
import { readView, type ViewState, writeView } from './view-state.ts'

/** The type of saved views, which are records like others. */
const viewType = 'the_console_view'
const maxViews = 100

interface SavedView {
  readonly id: number
  readonly name: string
  /** The search parameters of the address. */
  readonly state: string
}

/** A view in the format of the query. */
interface StoredView {
  readonly id: number
  readonly the_console_view?: { readonly name?: string; readonly state?: string }
}

/** Returns the saved views of a type that the user may read, oldest first. */
function useViews(type: string): readonly SavedView[] {
  const query = useMemo(
    () => ({
      type: viewType,
      pageSize: maxViews,
      order: 'ASC' as const,
      selectors: ['self'],
      hops: [{ connection: 'self', direct: true, name: 'of' }],
      filters: [{ name: 'of', on: 'of', type: 'the_records', search: type }],
      logic: 'of',
    }),
    [type],
  )
  const found = useQuery<StoredView>(query, { format: 'NORMAL' })
  const data = found.status === 'ready' ? found.data : undefined
  return useMemo(
    () =>
      (data ?? []).map(({ id, the_console_view: view }) => ({
        id,
        name: view?.name ?? '',
        state: view?.state ?? '',
      })),
    [data],
  )
}

/** The saved views of the open type in the side list. */
export function SavedViews({ type }: { type: ConsoleType }) {
  const views = useViews(type.name)
  const { params } = useLocation()
  const current = writeView(readView(params))
  return views.map(({ id, name, state }) => (
    <Link
      key={id}
      className="item sub"
      to={`/records/${type.name}${state}`}
      aria-current={state === current ? 'page' : undefined}
    >
      <span className="cut">{name}</span>
    </Link>
  ))
}

/** The views of a type as tabs: all records, and the saved views. A button saves the current state. */
export function ViewTabs({ type, view }: { type: ConsoleType; view: ViewState }) {
  const views = useViews(type.name)
  const current = writeView(view)
  const address = (state: string) => `/records/${type.name}${state}`
  const saved = views.find(({ state }) => state === current)
  return (
    <>
      <Tabs
        label="Views"
        tabs={[
          { to: address(''), label: 'All', isCurrent: current === '' },
          ...views.map(({ name, state }) => ({
            to: address(state),
            label: name,
            isCurrent: state === current,
          })),
        ]}
      />
      {saved && <ViewMenu saved={saved} />}
      {!saved && current !== '' && <SaveView type={type} state={current} />}
    </>
  )
}

function ViewMenu({ saved }: { saved: SavedView }) {
  const { client, undo } = useConsole()
  const rights = useRights([saved.id])
  if (rights.mayChange(saved.id) === false) return null
  return (
    <Menu label={`View ${saved.name}, menu`} button={<Icon name="down" />}>
      <MenuItem
        run={() => void removeRecords({ client, undo }, [saved.id], `View ${saved.name} deleted`)}
      >
        Delete the view
      </MenuItem>
    </Menu>
  )
}

function SaveView({ type, state }: { type: ConsoleType; state: string }) {
  const { client, undo } = useConsole()
  const [isOpen, setOpen] = useState(false)
  const submit = async (form: FormData) => {
    const name = String(form.get('name')).trim()
    if (name === '') return
    const fields = { name, records: type.name, state }
    await createRecords({ client, undo }, viewType, [fields], `View ${name} saved`)
    setOpen(false)
  }
  return (
    <>
      <button type="button" className="button bare" onClick={() => setOpen(true)}>
        <Icon name="plus" />
        <span>
          Save <span className="desk">view</span>
        </span>
      </button>
      <Dialog
        title="Save this view"
        isOpen={isOpen}
        close={() => setOpen(false)}
        className="narrow"
      >
        <form className="stack" action={submit}>
          <label className="field">
            <span>Name</span>
            <input name="name" required maxLength={80} />
          </label>
          <p className="acts">
            <button type="submit" className="button">
              Save
            </button>
          </p>
        </form>
      </Dialog>
    </>
  )
}
