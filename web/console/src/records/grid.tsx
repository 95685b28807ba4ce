import { type RefObject, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useConsole, useKeys, useSummary } from '../model/console.tsx'
import { countText, numberText } from '../model/names.ts'
import type { ConsoleType } from '../model/types.ts'
import type { Column } from './columns.ts'
import { gridFocus } from './grid-focus.ts'
import { GridHeader } from './grid-header.tsx'
import { gridBindings, gridKeys } from './grid-keys.ts'
import { GridRow } from './grid-row.tsx'
import { type Rights, useRights } from './rights.ts'
import type { RowSource } from './row-source.ts'
import { cellsIn, type Range, rangeOf, type Selection, single } from './selection.ts'
import { type Editing, type GridActions, useGridActions } from './use-grid-actions.ts'
import { useViewport, type Viewport } from './use-viewport.ts'
import { useWidths } from './use-widths.ts'
import type { ViewState } from './view-state.ts'

interface GridProps {
  readonly type: ConsoleType
  readonly types: readonly ConsoleType[]
  readonly columns: readonly Column[]
  readonly source: RowSource
  readonly view: ViewState
  readonly setView: (change: Partial<ViewState>) => void
  readonly openId: number | undefined
}

/** The heights of a row and of the header, in pixels. */
const rowHeight = 32
const headerHeight = 34

/**
 * A spreadsheet of records. Only the rows on the screen are in the document. All rows have the same height, so the position of a
 * row follows from its index. The grid is one tab stop: it keeps the focus and names the active cell for screen readers. It has
 * the ARIA roles of a grid, because a `table` element would need to contain all rows.
 */
export function Grid(props: GridProps) {
  const { type, types, columns, source, view, setView } = props
  const { client } = useConsole()
  const total = useSyncExternalStore(source.subscribe, source.get).total
  useSyncExternalStore(source.subscribe, source.version)
  useSyncExternalStore(client.sync.subscribe, client.sync.get)
  const ref = useRef<HTMLDivElement>(null)
  const viewport = useViewport(ref, total, rowHeight, headerHeight)
  const { widths, template, resize, width } = useWidths(type.name, columns)
  const [selection, setSelection] = useState<Selection>(single(0, 0))
  const [editing, setEditing] = useState<Editing>()
  const rights = useRights(visibleRows(viewport).flatMap((index) => source.row(index)?.id ?? []))
  const actions = useGridActions({
    ...props,
    rights,
    total,
    selection,
    setSelection,
    editing,
    setEditing,
    grid: ref,
  })
  useShownRows(source, viewport)
  useKeys(gridBindings)
  useClipboard(ref, actions)
  useActiveCell(ref, selection, viewport, editing)
  const range = rangeOf(selection)
  const cells = cellsIn(range)
  useSummary(
    cells > 1
      ? `${numberText(cells)} cells selected · ${countText(total, type.names)}`
      : countText(total, type.names),
  )
  return (
    <div
      ref={ref}
      className="grid"
      role="grid"
      tabIndex={0}
      aria-label={type.names.many}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={cellId(selection.focus.row, selection.focus.column)}
      onKeyDown={(event) => gridKeys(event, actions, editing !== undefined)}
    >
      <div className="grid-size" style={{ width, height: viewport.height + headerHeight }}>
        <GridHeader {...{ columns, template, view, setView, resize, widths, types }} />
        <div className="grid-rows" role="rowgroup" style={{ height: viewport.height }}>
          <Rows {...{ ...props, viewport, template, range, selection, editing, actions, rights }} />
        </div>
      </div>
    </div>
  )
}

interface RowsProps extends GridProps {
  readonly viewport: Viewport
  readonly template: string
  readonly range: Range
  readonly selection: Selection
  readonly editing: Editing | undefined
  readonly actions: GridActions
  readonly rights: Rights
}

/** The rows on the screen. */
function Rows(props: RowsProps) {
  const { source, view, openId, viewport, range, selection, editing, ...shared } = props
  const { client } = useConsole()
  return visibleRows(viewport).map((index) => {
    const row = source.row(index)
    const isSelected = range.top <= index && index <= range.bottom
    return (
      <GridRow
        key={index}
        index={index}
        top={viewport.topOf(index)}
        row={row}
        previous={view.group === '' ? undefined : source.row(index - 1)}
        group={view.group}
        columns={shared.columns}
        types={shared.types}
        template={shared.template}
        left={isSelected ? range.left : -1}
        right={isSelected ? range.right : -1}
        isLast={index === range.bottom}
        active={selection.focus.row === index ? selection.focus.column : -1}
        editing={editing?.row === index ? editing : undefined}
        isOpen={openId !== undefined && row?.id === openId}
        pending={client.pending(row?.id ?? 0)}
        isFixed={shared.rights.mayChange(row?.id ?? 0) === false}
        actions={shared.actions}
      />
    )
  })
}

/** Returns the id of a cell in the document. */
const cellId = (row: number, column: number): string => `cell-${row}-${column}`

const visibleRows = ({ first, last }: Viewport): readonly number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)

/** Handles clipboard events while the grid has the focus. Browsers send them to the selected text, not to the focused element. */
function useClipboard(ref: RefObject<HTMLDivElement | null>, actions: GridActions): void {
  useEffect(() => {
    const handle = (event: ClipboardEvent) => {
      if (document.activeElement !== ref.current) return
      event.preventDefault()
      if (event.type === 'copy') actions.copy(event)
      else if (event.type === 'cut') actions.cut(event)
      else actions.paste(event)
    }
    const names = ['copy', 'cut', 'paste'] as const
    for (const name of names) document.addEventListener(name, handle)
    return () => {
      for (const name of names) document.removeEventListener(name, handle)
    }
  }, [ref, actions])
}

/** How long rows must stay on the screen before they are loaded, in milliseconds. */
const settleMs = 40

/** Loads the rows on the screen. */
function useShownRows(source: RowSource, { first, last }: Viewport): void {
  const shown = useRef<RowSource>(undefined)
  useEffect(() => {
    const isNew = shown.current !== source
    shown.current = source
    const timer = setTimeout(() => source.show(first, last), isNew ? 0 : settleMs)
    return () => clearTimeout(timer)
  }, [source, first, last])
}

/** Scrolls the active cell into view after it moved, and returns the focus to the grid after editing. */
function useActiveCell(
  ref: RefObject<HTMLDivElement | null>,
  { focus }: Selection,
  viewport: Viewport,
  editing: Editing | undefined,
): void {
  const top = useMemo(() => viewport.topOf(focus.row), [viewport, focus.row])
  const latest = useRef(top)
  latest.current = top
  const hasMoved = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is compared, not its position on the screen
  useEffect(() => {
    const grid = ref.current
    if (!grid) return
    if (!hasMoved.current) {
      hasMoved.current = true
      if (gridFocus.isWanted) grid.focus({ preventScroll: true })
      gridFocus.isWanted = false
      return
    }
    const visible = grid.clientHeight - headerHeight
    if (latest.current < grid.scrollTop) grid.scrollTop = latest.current
    else if (latest.current + rowHeight > grid.scrollTop + visible)
      grid.scrollTop = latest.current + rowHeight - visible
    grid
      .querySelector(`[data-column="${focus.column}"]`)
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [focus.row, focus.column])
  const wasEditing = useRef(false)
  useEffect(() => {
    if (wasEditing.current && !editing) ref.current?.focus({ preventScroll: true })
    wasEditing.current = editing !== undefined
  }, [editing, ref])
}
