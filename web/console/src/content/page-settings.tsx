import { type FormEvent, useState } from 'react'
import { mayChange } from '../model/access.ts'
import { useConsole } from '../model/console.tsx'
import { errorText } from '../model/request.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { Link } from '../parts/link.tsx'
import { OwnerName } from '../parts/owner.tsx'
import { Failed, Loading, Refused } from '../parts/states.tsx'
import { type Item, type PageDocument, type PageSettings, readPage, savePage } from './api.ts'
import { useRead } from './use-read.ts'

/** The settings of a page. Pages have no versions: visitors see a change immediately, and Undo reverts it. */
export function PageRoom({
  name,
  widgets,
  changed,
}: {
  readonly name: string
  readonly widgets: readonly Item[]
  /** Called after a change of the settings. */
  readonly changed: () => void
}) {
  const read = useRead(
    name,
    () => readPage(name),
    ({ id }) => [id],
  )
  if (read.status === 'loading') return <Loading>Still loading the page.</Loading>
  if (read.status === 'error') return <Failed error={read.error} retry={read.reload} />
  const reload = () => {
    changed()
    read.reload()
  }
  return <PageForm document={read.data} {...{ widgets, reload }} />
}

/** The text settings of a page, with their labels. */
const texts = [
  ['title', 'Title'],
  ['slug', 'Address'],
  ['metaTitle', 'Title for search engines'],
  ['metaDescription', 'Description for search engines'],
  ['metaKeywords', 'Keywords'],
  ['width', 'Width, such as 60rem'],
  ['fontSize', 'Font size, such as 18px'],
  ['fontFamily', 'Font'],
] as const

function PageForm({
  document,
  widgets,
  reload,
}: {
  readonly document: PageDocument
  readonly widgets: readonly Item[]
  readonly reload: () => void
}) {
  const { session, undo } = useConsole()
  const [page, setPage] = useState<PageSettings>(document.page)
  const [problem, setProblem] = useState('')
  // When the stored settings change, they replace the settings in the form. The form keeps the focus.
  const stored = JSON.stringify(document.page)
  const [shown, setShown] = useState(stored)
  if (shown !== stored) {
    setShown(stored)
    setPage(document.page)
    setProblem('')
  }
  const isMine = mayChange(session, document.owner)
  const isSame = JSON.stringify(page) === stored
  const write = async (settings: PageSettings) => {
    await savePage(document.name, settings)
    reload()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    try {
      await write(page)
      undo.push({
        label: `Saved the page ${page.title}`,
        undo: () => write(document.page),
        redo: () => write(page),
      })
    } catch (error) {
      setProblem(`${errorText(error)} Nothing was changed.`)
    }
  }
  return (
    <form className="content-page" onSubmit={submit}>
      <div className="bar ruled content-bar">
        <h1 className="title">{document.page.title}</h1>
        <a className="underline" href={document.page.slug} target="_blank" rel="noreferrer">
          {document.page.slug}
        </a>
        <span className="grow" />
        {isMine ? (
          <BusyButton type="submit" className="button" isUnavailable={isSame}>
            Save
          </BusyButton>
        ) : (
          <span className="soft">
            You can see this page but not change it. Its owner is{' '}
            <OwnerName owner={document.owner} />.
          </span>
        )}
      </div>
      {problem !== '' && <Refused>{problem}</Refused>}
      <fieldset disabled={!isMine}>
        <legend className="unseen">Settings of the page</legend>
        {texts.map(([field, label]) => (
          <label key={field} className="field">
            <span>{label}</span>
            <input
              value={page[field] ?? ''}
              required={field === 'title' || field === 'slug'}
              onChange={(event) => setPage({ ...page, [field]: event.target.value })}
            />
          </label>
        ))}
        <label className="field">
          <span>Layout</span>
          <select
            value={page.type ?? ''}
            onChange={(event) => setPage({ ...page, type: event.target.value })}
          >
            <option value="">Set by the widget</option>
            <option value="fixed">Fixed, 1200 pixels</option>
            <option value="fluid">Fluid</option>
          </select>
        </label>
        <label className="field">
          <span>Widget</span>
          <select
            value={page.body}
            onChange={(event) => setPage({ ...page, body: event.target.value })}
          >
            {widgets.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label className="content-check">
          <input
            type="checkbox"
            checked={page.guarded ?? false}
            onChange={(event) => setPage({ ...page, guarded: event.target.checked })}
          />
          For signed-in visitors only
        </label>
      </fieldset>
      <p>
        <Link className="underline" to={`/content/${document.page.body}`}>
          {isMine ? 'Edit' : 'Open'} the widget of this page
        </Link>
      </p>
    </form>
  )
}
