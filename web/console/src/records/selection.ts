/** A place in a grid: index of the row and of the column. */
interface Place {
  readonly row: number
  readonly column: number
}

/** A range of cells: the active cell is `focus`, and `anchor` is the cell where the range began. */
export interface Selection {
  readonly anchor: Place
  readonly focus: Place
}

/** The size of a grid. */
interface Size {
  readonly rows: number
  readonly columns: number
}

/** The corners of a range, inclusive. */
export interface Range {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** Returns the corners of a selection. */
export function rangeOf({ anchor, focus }: Selection): Range {
  return {
    top: Math.min(anchor.row, focus.row),
    bottom: Math.max(anchor.row, focus.row),
    left: Math.min(anchor.column, focus.column),
    right: Math.max(anchor.column, focus.column),
  }
}

/** Returns the number of cells in a range. */
export const cellsIn = ({ top, bottom, left, right }: Range): number =>
  (bottom - top + 1) * (right - left + 1)

/** A move of the active cell by a key. */
export interface Move {
  readonly rows: number
  readonly columns: number
  /** Goes to the edge of the grid instead. */
  readonly toEdge?: boolean
  /** Keeps the anchor, so that the range grows. */
  readonly extends?: boolean
}

/** Returns the selection after a move. */
export function moveSelection(selection: Selection, move: Move, size: Size): Selection {
  const { focus, anchor } = selection
  const step = (at: number, by: number, count: number) =>
    Math.max(0, Math.min(count - 1, move.toEdge && by !== 0 ? (by < 0 ? 0 : count - 1) : at + by))
  const next = {
    row: step(focus.row, move.rows, size.rows),
    column: step(focus.column, move.columns, size.columns),
  }
  return { focus: next, anchor: move.extends ? anchor : next }
}

/** Returns the selection of a single cell. */
export const single = (row: number, column: number): Selection => ({
  anchor: { row, column },
  focus: { row, column },
})
