import { memo } from 'react'
import type { ConsoleType } from '../model/types.ts'
import { markOf } from '../model/types.ts'
import { type Cell, cellOf, type Row } from './cell.ts'
import { CellEditor } from './cell-editor.tsx'
import type { Column } from './columns.ts'
import type { Editing, GridActions } from './use-grid-actions.ts'

interface GridRowProps {
  readonly index: number
  /** Distance from the first row, in pixels. */
  readonly top: number
  /** Undefined while the row is loading. */
  readonly row: Row | undefined
  /** The row above, if rows are grouped. */
  readonly previous: Row | undefined
  readonly group: string
  readonly columns: readonly Column[]
  readonly types: readonly ConsoleType[]
  readonly template: string
  /** The first and the last selected column, or -1. */
  readonly left: number
  readonly right: number
  /** Whether the row is the last one of the selection. */
  readonly isLast: boolean
  /** The column of the active cell, or -1. */
  readonly active: number
  readonly editing: Editing | undefined
  readonly isOpen: boolean
  readonly pending: 'pending' | 'failed' | undefined
  /** Whether the user may not change the record. */
  readonly isFixed: boolean
  readonly actions: GridActions
}

/** One row. It is drawn again only if its record or its part of the selection changed. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { index, top, row, columns, template, isOpen, pending, actions } = props
  const isNewGroup = startsGroup(props)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={`row${isOpen ? ' open' : ''}${isNewGroup ? ' group-start' : ''}`}
      style={{ gridTemplateColumns: template, transform: `translateY(${top}px)` }}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Space opens the record, Shift with arrows selects */}
      <div
        role="rowheader"
        aria-colindex={1}
        className={`index ${pending ?? ''}`}
        onClick={(event) => actions.selectRow(index, event.shiftKey)}
      >
        {index + 1}
        {pending === 'pending' && <span className="unseen"> waiting to be sent</span>}
        {pending === 'failed' && <span className="unseen"> refused by the server</span>}
      </div>
      {columns.map((column, i) => (
        <GridCell
          key={column.key}
          {...props}
          column={column}
          at={i}
          cell={row ? cellOf(row, column) : undefined}
        />
      ))}
    </div>
  )
})

/** Reports whether a row starts a group: its value in the grouped column differs from that of the row above. */
function startsGroup({ group, row, previous, columns }: GridRowProps): boolean {
  const column = columns.find(({ key }) => key === group)
  if (!column || !row) return false
  return !previous || cellOf(previous, column).text !== cellOf(row, column).text
}

interface GridCellProps extends GridRowProps {
  readonly column: Column
  readonly at: number
  readonly cell: Cell | undefined
}

function GridCell(props: GridCellProps) {
  const { index, column, at, cell, left, right, isLast, active } = props
  const { editing, isFixed, actions, types } = props
  const isIn = at >= left && at <= right
  const isActive = at === active
  const isEdited = editing !== undefined && editing.column === at
  return (
    <div
      role="gridcell"
      id={`cell-${index}-${at}`}
      data-column={isActive ? at : undefined}
      aria-colindex={at + 2}
      aria-selected={isIn}
      aria-readonly={isFixed || column.readOnly !== undefined}
      className={cellClass({ column, at, isIn, isActive, isCorner: isLast && at === right })}
      onMouseDown={(event) => {
        if (!isEdited) actions.press(index, at, event)
      }}
      onMouseEnter={(event) => actions.drag(index, at, event)}
      onDoubleClick={() => actions.edit(undefined)}
    >
      {isEdited && cell ? (
        <CellEditor column={column} cell={cell} editing={editing} actions={actions} />
      ) : (
        <CellContent cell={cell} column={column} types={types} />
      )}
    </div>
  )
}

interface CellStyle {
  readonly column: Column
  readonly at: number
  readonly isIn: boolean
  readonly isActive: boolean
  readonly isCorner: boolean
}

const cellClass = ({ column, at, isIn, isActive, isCorner }: CellStyle): string =>
  [
    column.kind === 'number' && 'num',
    at === 0 && 'name',
    isIn && 'in',
    isActive && 'at',
    isCorner && 'last',
  ]
    .filter(Boolean)
    .join(' ')

/** Maximum number of characters of a cell that are drawn. */
const maxShown = 300

/** Maximum number of linked records of a cell that are named. */
const maxRings = 2

/** The content of a cell: a text, or rings with the names of linked records. */
export function CellContent({
  cell,
  column,
  types,
}: {
  readonly cell: Cell | undefined
  readonly column: Column
  readonly types: readonly ConsoleType[]
}) {
  if (!cell) return <span className="skel" />
  if (cell.links.length > 0)
    return (
      <span className="lines" title={cell.text.slice(0, maxShown)}>
        {cell.links.slice(0, maxRings).map(({ id, type, label }) => (
          <span key={id} className={`ring ${markOf(types, type).dye}`}>
            <span>{label}</span>
          </span>
        ))}
        {cell.links.length > maxRings && (
          <span className="more">
            +{cell.links.length - maxRings}
            <span className="unseen"> more</span>
          </span>
        )}
      </span>
    )
  if (column.kind === 'choice' && cell.text !== '')
    return <Choice column={column} text={cell.text} />
  if (column.kind === 'boolean' && cell.text !== '')
    return <span>{cell.text === 'true' ? 'yes' : 'no'}</span>
  const text = cell.text.slice(0, maxShown)
  return (
    <span className="cut" title={text}>
      {text}
    </span>
  )
}

const choiceDyes = ['c', 'b', 'd', 'a'] as const

/** A choice, as text in the colour of its position among the choices. */
function Choice({ column, text }: { column: Column; text: string }) {
  const place = column.choices.indexOf(text)
  const dye = place < 0 ? 'u' : (choiceDyes[place % choiceDyes.length] ?? 'u')
  return <span className={`choice ${dye}`}>{text}</span>
}
