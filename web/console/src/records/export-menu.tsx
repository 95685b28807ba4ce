import { useConsole } from '../model/console.tsx'
import { csvLine } from '../model/csv.ts'
import { countText } from '../model/names.ts'
import { errorText } from '../model/request.ts'
import type { ConsoleType } from '../model/types.ts'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { cellOf, type Row } from './cell.ts'
import type { Column } from './columns.ts'
import { blockRows, type RowSource } from './row-source.ts'

interface ExportMenuProps {
  readonly type: ConsoleType
  readonly columns: readonly Column[]
  readonly source: RowSource
}

/** Saves the rows of the view, in its order and with its columns, as CSV or JSON. */
export function ExportMenu({ type, columns, source }: ExportMenuProps) {
  const { announce } = useConsole()
  const save = async (format: Format) => {
    try {
      const n = await exportRows(
        source,
        columns,
        format,
        `${type.name.replace(/^the_/, '')}.${format}`,
      )
      announce(`${countText(n, type.names)} exported`)
    } catch (error) {
      announce(`The export failed. ${errorText(error)}`)
    }
  }
  return (
    <Menu className="button bare desk" label="Export" button="Export">
      <MenuItem run={() => void save('csv')}>CSV of this view</MenuItem>
      <MenuItem run={() => void save('json')}>JSON of this view</MenuItem>
    </Menu>
  )
}

type Format = 'csv' | 'json'

/** Reads the rows block by block and saves them as a file. Only the text of the file is kept in memory. */
async function exportRows(
  source: RowSource,
  columns: readonly Column[],
  format: Format,
  name: string,
): Promise<number> {
  const { total } = source.get()
  const parts: BlobPart[] = [format === 'csv' ? csvLine(columns.map(({ label }) => label)) : '[\n']
  let count = 0
  while (count < total) {
    const rows = await source.read(count, Math.min(count + blockRows, total) - 1)
    if (rows.length === 0) break
    parts.push(format === 'csv' ? csvRows(rows, columns) : jsonRows(rows, columns, count === 0))
    count += rows.length
  }
  if (format === 'json') parts.push('\n]\n')
  saveFile(new Blob(parts, { type: format === 'csv' ? 'text/csv' : 'application/json' }), name)
  return count
}

const csvRows = (rows: readonly Row[], columns: readonly Column[]): string =>
  rows.map((row) => csvLine(columns.map((column) => cellOf(row, column).text))).join('')

function jsonRows(rows: readonly Row[], columns: readonly Column[], isFirst: boolean): string {
  const records = rows.map((row) =>
    JSON.stringify(
      Object.fromEntries([
        ['id', row.id],
        ...columns.map((column) => [column.key, cellOf(row, column).text]),
      ]),
    ),
  )
  return (isFirst ? '' : ',\n') + records.join(',\n')
}

function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
