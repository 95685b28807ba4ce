import { useMemo } from 'react'
import { useActions } from '../model/console.tsx'
import { navigate, useLocation } from '../model/router.ts'
import { Main, Sidebar } from '../parts/frame.tsx'
import { Link } from '../parts/link.tsx'
import { OwnerName } from '../parts/owner.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { type Item, listContent } from './api.ts'
import { PageRoom } from './page-settings.tsx'
import { useRead } from './use-read.ts'
import { WidgetRoom } from './widget-room.tsx'
import './content.css'

/**
 * Content: the pages and widgets of the site.
 *
 *   widget-room   one widget: files in tabs, preview, versions with differences, publish and roll back
 *   page-settings the settings of one page
 *   drafts        edited files that are not saved; they survive a reload
 *   api           the routes; texts: trust levels and times in words
 */
export function Room() {
  const { rest } = useLocation()
  const list = useRead('list', listContent, (items) => items.map(({ id }) => id).slice(0, 100))
  const items = list.data ?? []
  const pages = items.filter(({ kind }) => kind === 'page')
  const widgets = items.filter(({ kind }) => kind === 'widget')
  const actions = useMemo(() => (list.data ?? []).map(actionOf), [list.data])
  useActions(actions)
  return (
    <>
      <Sidebar
        title="Pages"
        footer="A widget is never changed in place: saving creates a version, and visitors see the published one."
      >
        {pages.map((item) => (
          <SideItem key={item.name} item={item} current={rest.join('/')} />
        ))}
        <h2>Widgets</h2>
        {widgets.map((item) => (
          <SideItem key={item.name} item={item} current={rest.join('/')} />
        ))}
      </Sidebar>
      <Main label="Content">
        {rest[0] === 'pages' && rest[1] !== undefined ? (
          <PageRoom key={rest[1]} name={rest[1]} widgets={widgets} changed={list.reload} />
        ) : rest[0] !== undefined && rest[0] !== 'pages' ? (
          <WidgetRoom key={rest[0]} name={rest[0]} pages={pages} changed={list.reload} />
        ) : (
          <Overview {...{ pages, widgets, list }} />
        )}
      </Main>
    </>
  )
}

/** Returns the address of a page or widget inside the console. */
const pathOf = ({ kind, name }: Item): string =>
  kind === 'page' ? `/content/pages/${pageName(name)}` : `/content/${name}`

const pageName = (file: string): string => file.replace(/^pages\//, '').replace(/\.json$/, '')

function actionOf(item: Item) {
  return {
    id: `content ${item.kind} ${item.name}`,
    label: `${item.title} (${item.kind})`,
    group: 'Content',
    run: () => navigate(pathOf(item)),
  }
}

function SideItem({ item, current }: { item: Item; current: string }) {
  const path = pathOf(item)
  return (
    <Link
      className="item"
      to={path}
      aria-current={path === `/content/${current}` ? 'page' : undefined}
    >
      {item.title}
      {item.kind === 'widget' && item.newest !== item.published && (
        <span className="num">not published</span>
      )}
    </Link>
  )
}

function Overview({
  pages,
  widgets,
  list,
}: {
  readonly pages: readonly Item[]
  readonly widgets: readonly Item[]
  readonly list: { readonly status: string; readonly error?: unknown; readonly reload: () => void }
}) {
  if (list.status === 'loading') return <Loading>Still loading the pages.</Loading>
  if (list.status === 'error') return <Failed error={list.error} retry={list.reload} />
  if (pages.length + widgets.length === 0)
    return (
      <Empty title="No pages yet">
        <p>The site of this server has no pages and widgets that you may see.</p>
      </Empty>
    )
  const title = {
    name: 'Title',
    cell: (item: Item) => (
      <Link className="underline" to={pathOf(item)}>
        {item.title}
      </Link>
    ),
  }
  const owner = { name: 'Owner', cell: (item: Item) => <OwnerName owner={item.owner} /> }
  return (
    <div className="content-overview">
      <h1 className="unseen">Content</h1>
      <h2>Pages</h2>
      <Table
        label="Pages"
        rows={pages}
        keyOf={({ name }) => name}
        columns={[title, { name: 'Address', cell: ({ slug }) => <code>{slug}</code> }, owner]}
      />
      <h2>Widgets</h2>
      <Table
        label="Widgets"
        rows={widgets}
        keyOf={({ name }) => name}
        columns={[
          title,
          { name: 'Published', isNumber: true, cell: ({ published }) => published },
          { name: 'Newest', isNumber: true, cell: ({ newest }) => newest },
          owner,
        ]}
      />
    </div>
  )
}
