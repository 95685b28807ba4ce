import type { MouseEvent, RefObject } from 'react'
import { useMemo, useRef } from 'react'
import { type Console, useConsole } from '../model/console.tsx'
import { countText, numberText } from '../model/names.ts'
import { errorText } from '../model/request.ts'
import { navigate, setParams } from '../model/router.ts'
import type { ConsoleType } from '../model/types.ts'
import { type Cell, cellOf, inputOf, type LinkedRecord, Misfit, type Row } from './cell.ts'
import { type CellChange, removeRecords, setCellLink, setCells } from './changes.ts'
import { changedMeanwhile, isChangedMeanwhile, type Keep } from './choose-text.tsx'
import { readTable, writeTable } from './clipboard.ts'
import type { Column } from './columns.ts'
import { pasteTable } from './paste.ts'
import type { Rights } from './rights.ts'
import type { RowSource } from './row-source.ts'
import {
  type Move,
  moveSelection,
  type Range,
  rangeOf,
  type Selection,
  single,
} from './selection.ts'
import type { After } from './text-editor.tsx'

/** A cell that is being edited. */
export interface Editing {
  /** Its position when the editing began. Rows and columns may have moved since, so writes use `record` and `field`. */
  readonly row: number
  readonly column: number
  /** The record and the column, as they were when the editing began. */
  readonly record: Row
  readonly field: Column
  /** The first key, which replaces the text; undefined edits the current text. */
  readonly typed: string | undefined
  /** The typed text, while the user must choose between it and a text that was stored in the meantime. */
  readonly mine?: string
}

/** The actions of a user in a grid. The object is the same for all renders. */
export interface GridActions {
  readonly move: (move: Move) => void
  readonly press: (row: number, column: number, event: MouseEvent) => void
  readonly drag: (row: number, column: number, event: MouseEvent) => void
  readonly selectRow: (row: number, isExtended: boolean) => void
  readonly selectAll: () => void
  /** Edits the active cell; a typed text replaces the value. */
  readonly edit: (typed: string | undefined) => void
  /** Writes the text of the editor. If it is not valid in the column, keeps the editor open and returns the reason. */
  readonly save: (text: string, after: After, toRange: boolean) => Promise<string | undefined>
  /** Sets the link of the edited cell, or removes it if `target` is undefined. Returns the reason for a failure. */
  readonly saveLink: (target: LinkedRecord | undefined, after: After) => Promise<string | undefined>
  /** Ends the choice between the typed text and the text that another user stored in the meantime. */
  readonly settle: (keep: Keep) => void
  readonly cancel: () => void
  readonly clear: () => void
  readonly fillDown: () => void
  readonly removeRecords: () => void
  readonly open: (how: 'beside' | 'page') => void
  readonly copy: (event: ClipboardEvent) => void
  readonly cut: (event: ClipboardEvent) => void
  readonly paste: (event: ClipboardEvent) => void
}

/** The state of a grid that actions read and change. */
interface GridState {
  readonly type: ConsoleType
  readonly columns: readonly Column[]
  readonly source: RowSource
  readonly total: number
  readonly selection: Selection
  readonly setSelection: (selection: Selection) => void
  readonly editing: Editing | undefined
  readonly setEditing: (editing: Editing | undefined) => void
  readonly grid: RefObject<HTMLDivElement | null>
  readonly rights: Rights
}

/** Returns the actions of a grid. */
export function useGridActions(state: GridState): GridActions {
  const console = useConsole()
  const latest = useRef({ ...state, console })
  latest.current = { ...state, console }
  return useMemo(() => {
    const grid = new GridController(() => latest.current)
    return {
      ...selectionActions(grid),
      ...editActions(grid),
      ...rangeActions(grid),
      ...clipboardActions(grid),
    }
  }, [])
}

/** Reads the state of a grid for its actions. */
class GridController {
  readonly #get: () => GridState & { readonly console: Console }

  constructor(get: () => GridState & { readonly console: Console }) {
    this.#get = get
  }

  get state() {
    return this.#get()
  }

  get focus() {
    return this.state.selection.focus
  }

  get range(): Range {
    return rangeOf(this.state.selection)
  }

  get column(): Column | undefined {
    return this.state.columns[this.focus.column]
  }

  get row(): Row | undefined {
    return this.state.source.row(this.focus.row)
  }

  /** The columns of the selection. */
  get columns(): readonly Column[] {
    const { left, right } = this.range
    return this.state.columns.slice(left, right + 1)
  }

  /** Throws `Misfit` if the user may not change all of these records. */
  async requireRights(rows: readonly Row[]): Promise<void> {
    const { rights, type } = this.state
    const obstacle = await rights.obstacle(
      rows.map(({ id }) => id),
      type.names,
    )
    if (obstacle !== undefined) throw new Misfit(obstacle)
  }

  /** Loads the rows of the selection. */
  rows(): Promise<readonly Row[]> {
    const { top, bottom } = this.range
    return this.state.source.read(top, Math.min(bottom, this.state.total - 1))
  }

  go(move: Move): void {
    const { selection, total, columns, setSelection } = this.state
    setSelection(moveSelection(selection, move, { rows: total, columns: columns.length }))
  }

  after(after: After): void {
    this.state.setEditing(undefined)
    if (after === 'down') this.go({ rows: 1, columns: 0 })
    if (after === 'right') this.go({ rows: 0, columns: 1 })
    if (after === 'left') this.go({ rows: 0, columns: -1 })
  }

  /** Returns the current content of the cell that is edited. */
  cellNow({ record, field }: Editing): Cell {
    return cellOf(this.state.source.find(record.id)?.row ?? record, field)
  }

  /** Writes a string into the cell that is edited. */
  async write(editing: Editing, text: string): Promise<void> {
    const { record, field } = editing
    const before = this.cellNow(editing)
    const change: CellChange = { id: record.id, column: field, before, text }
    await setCells(this.state.console, [change], changeLabel(field, before.text, text))
  }

  /**
   * Leaves the cell immediately, so that the next keys go to the next cell, and writes the text in the background. If the text is
   * not valid in the column, returns the reason and leaves the cell open. If the write fails, the cell opens again with the
   * text, unless another cell is being edited.
   */
  async saveAndGo(editing: Editing, text: string, after: After): Promise<string | undefined> {
    const problem = problemWith(editing.field, text)
    if (problem !== undefined) {
      this.state.console.announce(problem)
      return problem
    }
    this.after(after)
    const failure = await this.attempt(() => this.write(editing, text))
    const { editing: next, setEditing, setSelection } = this.state
    if (failure !== undefined && next === undefined) {
      setSelection(single(editing.row, editing.column))
      setEditing({ ...editing, typed: text })
    }
    return undefined
  }

  /** Shows the choice between the typed text and the stored one, at the current position of the record. */
  offerChoice(editing: Editing, mine: string): void {
    const { source, setSelection, setEditing, console } = this.state
    const row = source.find(editing.record.id)?.index ?? editing.row
    setSelection(single(row, editing.column))
    setEditing({ ...editing, row, mine })
    console.announce(changedMeanwhile(editing.field))
  }

  /** Runs a function. Announces a failure and returns it as a sentence; returns undefined after a success. */
  async attempt(work: () => Promise<void>): Promise<string | undefined> {
    try {
      await work()
      return undefined
    } catch (error) {
      const text = error instanceof Misfit ? error.message : errorText(error)
      this.state.console.announce(text)
      return text
    }
  }

  /** Writes text into each editable cell of the selection. `verb` is part of the label of the change. */
  async fill(textOf: (row: Row, column: Column) => string, verb: string): Promise<void> {
    const columns = this.columns.filter(isTextColumn)
    const rows = await this.rows()
    await this.requireRights(rows)
    const changes = rows.flatMap((row) =>
      columns.map(
        (column): CellChange => ({
          id: row.id,
          column,
          before: cellOf(row, column),
          text: textOf(row, column),
        }),
      ),
    )
    const names = columns.map(({ label }) => label).join(', ')
    const where = countText(rows.length, this.state.type.names)
    await setCells(this.state.console, changes, `${names} ${verb} in ${where}`)
  }
}

/** Returns why a string is not valid in a column, as a sentence; undefined if it is valid. */
function problemWith(column: Column, text: string): string | undefined {
  try {
    inputOf(column, text)
    return undefined
  } catch (error) {
    if (error instanceof Misfit) return error.message
    throw error
  }
}

/** Reports whether a column has cells that can be changed by writing text. */
const isTextColumn = ({ readOnly, kind }: Column): boolean =>
  readOnly === undefined && kind !== 'link' && kind !== 'links'

function selectionActions(grid: GridController) {
  const select = (selection: Selection) => grid.state.setSelection(selection)
  return {
    move: (move: Move) => grid.go(move),
    press: (row: number, column: number, event: MouseEvent) => {
      if (event.button !== 0) return
      const { selection, editing } = grid.state
      if (editing?.mine !== undefined) {
        event.preventDefault()
        return
      }
      const focus = { row, column }
      select(event.shiftKey ? { anchor: selection.anchor, focus } : single(row, column))
      event.preventDefault()
      grid.state.setEditing(undefined)
      grid.state.grid.current?.focus({ preventScroll: true })
    },
    drag: (row: number, column: number, event: MouseEvent) => {
      if (event.buttons !== 1) return
      select({ anchor: grid.state.selection.anchor, focus: { row, column } })
    },
    selectRow: (row: number, isExtended: boolean) => {
      const last = grid.state.columns.length - 1
      const anchor = { row: isExtended ? grid.state.selection.anchor.row : row, column: last }
      select({ anchor, focus: { row, column: 0 } })
      grid.state.grid.current?.focus({ preventScroll: true })
    },
    selectAll: () => {
      const { total, columns } = grid.state
      select({
        anchor: { row: total - 1, column: columns.length - 1 },
        focus: { row: 0, column: 0 },
      })
    },
  }
}

function editActions(grid: GridController) {
  return {
    edit: (typed: string | undefined) => {
      const { column, row, focus } = grid
      if (!column || !row) return
      if (column.readOnly !== undefined) {
        grid.state.console.announce(column.readOnly)
        return
      }
      const { rights, type } = grid.state
      if (rights.mayChange(row.id) === false) {
        grid.state.console.announce(rights.reason(row.id, type.names))
        return
      }
      if (column.kind === 'links') {
        setParams({ open: String(row.id) })
        return
      }
      grid.state.setEditing({ ...focus, record: row, field: column, typed })
    },
    cancel: () => grid.state.setEditing(undefined),
    save: async (text: string, after: After, toRange: boolean) => {
      const { editing } = grid.state
      if (!editing) return undefined
      const began = cellOf(editing.record, editing.field).text
      const now = grid.cellNow(editing).text
      if (!toRange && isChangedMeanwhile({ began, now, typed: text })) {
        grid.offerChoice(editing, text)
        return undefined
      }
      if (toRange) {
        const problem = await grid.attempt(() => grid.fill(() => text, `set to ${shortText(text)}`))
        if (problem === undefined) grid.after(after)
        return problem
      }
      if (text === began) {
        grid.after(after)
        return undefined
      }
      return grid.saveAndGo(editing, text, after)
    },
    settle: (keep: Keep) => {
      const { editing, setEditing } = grid.state
      setEditing(undefined)
      const { mine } = editing ?? {}
      if (editing && mine !== undefined && keep === 'mine')
        void grid.attempt(() => grid.write(editing, mine))
    },
    saveLink: async (target: LinkedRecord | undefined, after: After) => {
      const { editing } = grid.state
      if (!editing) return undefined
      const before = grid.cellNow(editing)
      const problem = await grid.attempt(() =>
        setCellLink(
          grid.state.console,
          { id: editing.record.id, column: editing.field, before },
          target,
          changeLabel(editing.field, before.text, target?.label ?? ''),
        ),
      )
      if (problem === undefined) grid.after(after)
      return problem
    },
  }
}

/** Returns the label of a change of one cell. */
const changeLabel = ({ label }: Column, before: string, after: string): string =>
  `${label} changed from ${shortText(before)} to ${shortText(after)}`

/** Shortens a string for the label of a change. */
export const shortText = (text: string): string =>
  text === '' ? 'no value' : text.length > 40 ? `${text.slice(0, 39)}…` : text

function rangeActions(grid: GridController) {
  return {
    clear: () => void grid.attempt(() => grid.fill(() => '', 'emptied')),
    fillDown: () =>
      void grid.attempt(async () => {
        const [first] = await grid.rows()
        if (first) await grid.fill((_, column) => cellOf(first, column).text, 'filled down')
      }),
    removeRecords: () =>
      void grid.attempt(async () => {
        const rows = await grid.rows()
        await grid.requireRights(rows)
        const { names } = grid.state.type
        await removeRecords(
          grid.state.console,
          rows.map(({ id }) => id),
          `${countText(rows.length, names)} deleted`,
        )
      }),
    open: (how: 'beside' | 'page') => {
      const { row } = grid
      if (!row) return
      if (how === 'page') navigate(`/records/${grid.state.type.name}/${row.id}`)
      else setParams({ open: String(row.id) })
    },
  }
}

/** Maximum number of cells that can be copied. */
const maxCopied = 500_000

function clipboardActions(grid: GridController) {
  const copy = (event: ClipboardEvent): boolean => {
    const { top, bottom } = grid.range
    const { source, total } = grid.state
    const { columns } = grid
    const indexes = Array.from({ length: Math.min(bottom, total - 1) - top + 1 }, (_, i) => top + i)
    if (indexes.length * columns.length > maxCopied) {
      grid.state.console.announce(
        `Copying is limited to ${numberText(maxCopied)} cells. Export the view instead.`,
      )
      return false
    }
    const loaded = indexes.map((index) => source.row(index))
    const textOf = (rows: readonly Row[]) =>
      writeTable(rows.map((row) => columns.map((column) => cellOf(row, column).text)))
    if (loaded.every((row) => row !== undefined))
      event.clipboardData?.setData('text/plain', textOf(loaded as readonly Row[]))
    else void grid.attempt(async () => navigator.clipboard.writeText(textOf(await grid.rows())))
    grid.state.console.announce(
      `${numberText(indexes.length * columns.length)} ${indexes.length * columns.length === 1 ? 'cell' : 'cells'} copied`,
    )
    return true
  }
  return {
    copy: (event: ClipboardEvent) => void copy(event),
    cut: (event: ClipboardEvent) => {
      if (copy(event)) void grid.attempt(() => grid.fill(() => '', 'cut'))
    },
    paste: (event: ClipboardEvent) => {
      const table = readTable(event.clipboardData?.getData('text/plain') ?? '')
      void grid.attempt(async () => {
        const { source, total, columns, type, console } = grid.state
        const requireRights = (rows: readonly Row[]) => grid.requireRights(rows)
        const { range } = grid
        await pasteTable({
          ...console,
          ...{ type, columns, source, total, range, table, requireRights },
        })
      })
    },
  }
}
