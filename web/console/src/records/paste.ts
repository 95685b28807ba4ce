import type { FieldInput, FieldsInput } from '@weft/client'
import { countText, numberText } from '../model/names.ts'
import type { ConsoleType } from '../model/types.ts'
import { cellOf, inputOf, Misfit, type Row } from './cell.ts'
import { type CellChange, pasteRecords, type Writing } from './changes.ts'
import type { Column } from './columns.ts'
import type { RowSource } from './row-source.ts'
import type { Range } from './selection.ts'

/** Maximum number of cells of one paste. Larger tables are imported as a file. */
const maxPasted = 200_000

interface Paste extends Writing {
  readonly type: ConsoleType
  readonly columns: readonly Column[]
  readonly source: RowSource
  readonly total: number
  readonly range: Range
  readonly table: readonly (readonly string[])[]
  /** Rejects if the user may not change all of these records. */
  readonly requireRights: (rows: readonly Row[]) => Promise<void>
}

/**
 * Writes a table into the grid, starting at the first selected cell. A single value fills the selection. Rows past the last
 * record create records. Checks all texts first: if one is not valid in its column, throws `Misfit` and writes nothing.
 */
export async function pasteTable(paste: Paste): Promise<void> {
  const { table, range, total, source, type } = paste
  const width = table.reduce((most, cells) => Math.max(most, cells.length), 0)
  if (table.length * width > maxPasted)
    throw new Misfit(
      `${numberText(table.length)} rows × ${width} columns are too many for one paste. Import them as a file.`,
    )
  if (table.length === 0) throw new Misfit('The clipboard has no text.')
  const isSingle = table.length === 1 && width === 1
  const height = isSingle ? range.bottom - range.top + 1 : table.length
  const columns = paste.columns.slice(range.left, isSingle ? range.right + 1 : range.left + width)
  checkColumns(columns)
  const textAt = (row: number, column: number) =>
    (isSingle ? table[0]?.[0] : table[row]?.[column]) ?? ''
  const lastRow = Math.min(range.top + height, total) - 1
  const rows = lastRow < range.top ? [] : await source.read(range.top, lastRow)
  await paste.requireRights(rows)
  const changes = rows.flatMap((row, r) =>
    columns.map(
      (column, c): CellChange => ({
        id: row.id,
        column,
        before: cellOf(row, column),
        text: textAt(r, c),
      }),
    ),
  )
  const added = Array.from({ length: height - rows.length }, (_, i) =>
    fieldsOf(columns, (c) => textAt(rows.length + i, c)),
  )
  const size = `${numberText(height)} × ${columns.length} cells pasted`
  const label = changes.length === 0 ? `${countText(added.length, type.names)} pasted` : size
  await pasteRecords(paste, { type: type.name, changes, added, label })
}

function checkColumns(columns: readonly Column[]): void {
  const wrong = columns.find(
    ({ readOnly, kind }) => readOnly !== undefined || /^links?$/.test(kind),
  )
  if (!wrong) return
  throw new Misfit(
    wrong.readOnly === undefined
      ? `${wrong.label} has links, which cannot be pasted. Import a file instead: the import finds the records by their names.`
      : `${wrong.label} cannot be pasted into. ${wrong.readOnly}`,
  )
}

/** Returns the fields of a new record for the texts of its cells. Empty cells are left out. */
export function fieldsOf(
  columns: readonly Column[],
  textOf: (column: number) => string,
): FieldsInput {
  const fields: Record<string, FieldInput> = {}
  columns.forEach((column, i) => {
    const text = textOf(i)
    const value = inputOf(column, text)
    if (value !== undefined) fields[column.key] = value
  })
  return fields
}
