import { useEffect, useMemo, useRef, useState } from 'react'
import { useKeys } from '../model/console.tsx'
import type { ConsoleType } from '../model/types.ts'
import { Chip } from '../parts/chip.tsx'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { ThreadMark } from '../parts/marks.tsx'
import { Menu, MenuItem } from '../parts/menu.tsx'
import type { Column } from './columns.ts'
import { ColumnsMenu } from './columns-menu.tsx'
import { conditionText } from './condition-text.ts'
import { ExportMenu } from './export-menu.tsx'
import { FilterMenu } from './filter-menu.tsx'
import { NewRecord } from './new-record.tsx'
import type { RowSource } from './row-source.ts'
import { ViewTabs } from './saved-views.tsx'
import type { ViewState } from './view-state.ts'

interface ToolbarProps {
  readonly type: ConsoleType
  readonly types: readonly ConsoleType[]
  /** The visible columns. */
  readonly columns: readonly Column[]
  /** All columns of the type, visible and hidden. */
  readonly all: readonly Column[]
  readonly source: RowSource
  readonly view: ViewState
  readonly setView: (change: Partial<ViewState>) => void
}

/** Two bars: the title of a type with its saved views, and the controls for search, filters, sort order, groups and columns. */
export function Toolbar(props: ToolbarProps) {
  const { type, all, view, setView, source, columns } = props
  return (
    <>
      <header className="bar ruled">
        <h1 className="title">
          <ThreadMark mark={type.mark} />
          {type.names.many}
        </h1>
        <ViewTabs type={type} view={view} />
        <span className="grow" />
        <Link className="button bare desk" to={`/records/${type.name}/import`}>
          Import
        </Link>
        <ExportMenu type={type} columns={columns} source={source} />
        <NewRecord type={type} columns={all} />
      </header>
      <div className="bar ruled">
        <Search type={type} text={view.text} change={(text) => setView({ text })} />
        {view.conditions.map((condition, i) => (
          <Chip
            // biome-ignore lint/suspicious/noArrayIndexKey: two conditions may be equal
            key={i}
            remove={() => setView({ conditions: view.conditions.filter((_, at) => at !== i) })}
            removeLabel={`Remove the filter ${conditionText(all, condition)}`}
          >
            <FilterMenu
              columns={all}
              condition={condition}
              set={(next) => setView({ conditions: view.conditions.with(i, next) })}
            />
          </Chip>
        ))}
        <FilterMenu
          columns={all}
          set={(next) => setView({ conditions: [...view.conditions, next] })}
        />
        <span className="grow" />
        <SortMenu {...props} />
        <GroupMenu {...props} />
        <ColumnsMenu {...props} />
      </div>
    </>
  )
}

/** Time after the last key press before a search starts, in milliseconds: typing a word sends one request. */
const typingPauseMs = 200

function Search({
  type,
  text,
  change,
}: {
  readonly type: ConsoleType
  readonly text: string
  readonly change: (text: string) => void
}) {
  const [typed, setTyped] = useState(text)
  const input = useRef<HTMLInputElement>(null)
  const latest = useRef(change)
  latest.current = change
  useEffect(() => setTyped(text), [text])
  useEffect(() => {
    if (typed === text) return
    const timer = setTimeout(() => latest.current(typed), typingPauseMs)
    return () => clearTimeout(timer)
  }, [typed, text])
  const many = type.names.many.toLowerCase()
  const bindings = useMemo(
    () => [{ keys: '/', label: `Search ${many}`, run: () => input.current?.focus() }],
    [many],
  )
  useKeys(bindings)
  return (
    <label className="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label={`Search ${many}`}
        placeholder={`Search ${many}`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <kbd>/</kbd>
    </label>
  )
}

function SortMenu({ all, view, setView }: ToolbarProps) {
  const label = view.sort
    .map(({ column, isDescending }) => {
      const found = all.find(({ key }) => key === column)
      return `${found?.label ?? column} ${isDescending ? '↓' : '↑'}`
    })
    .join(', ')
  const sortable = all.filter(({ key }) => !key.includes('>'))
  return (
    <Menu
      className="button quiet"
      label={`Sort ${label || 'newest first'}`}
      button={
        <>
          <span className="soft">Sort</span> {label || 'newest first'}
        </>
      }
    >
      {view.sort.length > 0 && <MenuItem run={() => setView({ sort: [] })}>Newest first</MenuItem>}
      {sortable.map(({ key, label: name }) => {
        const current = view.sort.find(({ column }) => column === key)
        return (
          <MenuItem
            key={key}
            isChecked={current !== undefined}
            run={() => setView({ sort: cycleSort(view.sort, key) })}
          >
            {name} {current && (current.isDescending ? '↓' : '↑')}
          </MenuItem>
        )
      })}
    </Menu>
  )
}

/** Returns the sort order after a click on a column: unsorted becomes ascending, then descending, then unsorted. The column comes last. */
function cycleSort(sort: ViewState['sort'], column: string): ViewState['sort'] {
  const current = sort.find((key) => key.column === column)
  const others = sort.filter((key) => key.column !== column)
  if (current?.isDescending) return others
  return [...others, { column, isDescending: current !== undefined }]
}

function GroupMenu({ all, view, setView }: ToolbarProps) {
  const current = all.find(({ key }) => key === view.group)?.label ?? 'none'
  const groupable = all.filter(
    ({ key, kind }) => !key.includes('>') && kind !== 'links' && kind !== 'parts',
  )
  return (
    <Menu
      className="button quiet desk"
      label={`Group ${current}`}
      button={
        <>
          <span className="soft">Group</span> {current}
        </>
      }
    >
      <MenuItem run={() => setView({ group: '' })}>none</MenuItem>
      {groupable.map(({ key, label }) => (
        <MenuItem key={key} run={() => setView({ group: key })} isChecked={key === view.group}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  )
}
