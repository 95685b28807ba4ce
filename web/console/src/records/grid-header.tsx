import { memo, type PointerEvent } from 'react'
import type { ConsoleType } from '../model/types.ts'
import { markOf } from '../model/types.ts'
import { Menu, MenuItem } from '../parts/menu.tsx'
import type { CellKind, Column } from './columns.ts'
import { defaultWidth } from './use-widths.ts'
import type { ViewState } from './view-state.ts'

interface HeaderProps {
  readonly columns: readonly Column[]
  readonly template: string
  readonly view: ViewState
  readonly setView: (change: Partial<ViewState>) => void
  readonly widths: Readonly<Record<string, number>>
  readonly resize: (key: string, width: number) => void
  readonly types: readonly ConsoleType[]
}

/** The names of the columns. Each opens a menu to sort, group, move and hide. */
export const GridHeader = memo(function GridHeader(props: HeaderProps) {
  const { columns, template, widths, resize } = props
  return (
    <div
      role="row"
      className="row head"
      aria-rowindex={1}
      style={{ gridTemplateColumns: template }}
    >
      <div role="columnheader" className="index" aria-colindex={1}>
        <span aria-hidden="true">#</span>
        <span className="unseen">Number</span>
      </div>
      {columns.map((column, i) => (
        <div
          key={column.key}
          role="columnheader"
          aria-colindex={i + 2}
          aria-sort={ariaSort(column, props.view)}
          className={column.kind === 'number' ? 'num' : undefined}
        >
          <ColumnMenu {...props} column={column} index={i} />
          <ResizeHandle
            width={widths[column.key] ?? defaultWidth(column)}
            resize={(width) => resize(column.key, width)}
          />
        </div>
      ))}
    </div>
  )
})

function ariaSort({ key }: Column, { sort }: ViewState): 'ascending' | 'descending' | undefined {
  const found = sort.find(({ column }) => column === key)
  return found && (found.isDescending ? 'descending' : 'ascending')
}

/** Signs for the kinds of columns. */
const kindSigns: Readonly<Record<CellKind, string>> = {
  text: 'Aa',
  longText: '¶',
  number: '#',
  boolean: '✓',
  date: '31',
  dateTime: '31',
  choice: '◆',
  link: '',
  links: '',
  parts: '{}',
}

function ColumnMenu({
  column,
  index,
  columns,
  view,
  setView,
  types,
}: HeaderProps & { readonly column: Column; readonly index: number }) {
  const { key, label, kind } = column
  const place = view.sort.findIndex((one) => one.column === key)
  const keys = columns.map((one) => one.key)
  const move = (by: number) => setView({ columns: moveItem(keys, index, index + by) })
  const sortBy = (isDescending: boolean) => setView({ sort: [{ column: key, isDescending }] })
  return (
    <Menu
      className="column-menu"
      label={`${label}${place >= 0 ? ` ${sortSign(view, place)}` : ''}, menu`}
      button={
        <>
          {column.target !== undefined ? (
            <span className={`ring ${markOf(types, column.target).dye}`} />
          ) : (
            <span className="kind" data-sign={kindSigns[kind]} />
          )}
          <span className="cut">{label}</span>
          {place >= 0 && <span className="sort">{sortSign(view, place)}</span>}
        </>
      }
    >
      {!key.includes('>') && (
        <>
          <MenuItem run={() => sortBy(false)}>Sort ascending</MenuItem>
          <MenuItem run={() => sortBy(true)}>Sort descending</MenuItem>
          <MenuItem run={() => setView({ sort: addSort(view, key) })}>
            {place >= 0 ? 'Do not sort by this' : 'Also sort by this'}
          </MenuItem>
          <MenuItem run={() => setView({ group: view.group === key ? '' : key })}>
            {view.group === key ? 'Do not group' : 'Group by this'}
          </MenuItem>
        </>
      )}
      <MenuItem
        run={() =>
          setView({ conditions: [...view.conditions, { column: key, op: 'notEmpty', value: '' }] })
        }
      >
        Filter by this
      </MenuItem>
      {index > 0 && <MenuItem run={() => move(-1)}>Move left</MenuItem>}
      {index < columns.length - 1 && <MenuItem run={() => move(1)}>Move right</MenuItem>}
      <MenuItem run={() => setView({ columns: keys.filter((one) => one !== key) })}>Hide</MenuItem>
      <p className="menu-title">
        Name in the API <code>{key}</code>
      </p>
    </Menu>
  )
}

/** Returns the arrow of a column in the sort order, and its position if there are several. */
const sortSign = ({ sort }: ViewState, place: number): string =>
  `${sort[place]?.isDescending ? '↓' : '↑'}${sort.length > 1 ? place + 1 : ''}`

const addSort = ({ sort }: ViewState, column: string): ViewState['sort'] =>
  sort.some((key) => key.column === column)
    ? sort.filter((key) => key.column !== column)
    : [...sort, { column, isDescending: false }]

/** Returns a list with one item moved to another position. */
function moveItem(list: readonly string[], from: number, to: number): readonly string[] {
  const rest = list.filter((_, i) => i !== from)
  return rest.toSpliced(to, 0, list[from] ?? '')
}

/** Changes the width of a column by dragging. */
function ResizeHandle({ width, resize }: { width: number; resize: (width: number) => void }) {
  const start = (event: PointerEvent<HTMLSpanElement>) => {
    const from = event.clientX
    const handle = event.currentTarget
    handle.setPointerCapture(event.pointerId)
    handle.onpointermove = (move) => resize(width + move.clientX - from)
    handle.onpointerup = () => {
      handle.onpointermove = null
    }
    event.preventDefault()
  }
  return <span className="resize" aria-hidden="true" onPointerDown={start} />
}
