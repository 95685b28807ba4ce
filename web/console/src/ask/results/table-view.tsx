import { namesOf, numberText } from '../../model/names.ts'
import { markOf, useTypes } from '../../model/types.ts'
import { Link } from '../../parts/link.tsx'
import { LinkRing } from '../../parts/marks.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { type Groups, groupName } from '../question/groups.ts'
import { cellText, type ResultCell, type ResultRow, type ResultTable } from './rows.ts'

/** The rows of an answer. The first column opens the record. */
export function TableView({ table }: { table: ResultTable }) {
  const { types } = useTypes()
  if (table.rows.length === 0) return null
  const columns: readonly Column<ResultRow>[] = [
    {
      name: namesOf(table.rows[0]?.type ?? '').one,
      cell: ({ id, type, name }) => (
        <Link to={`/records/${type}/${id}`}>
          <LinkRing mark={markOf(types, type)}>{name}</LinkRing>
        </Link>
      ),
    },
    ...table.columns.map(({ key, label, isNumber }) => ({
      name: label,
      isNumber,
      cell: ({ cells }: ResultRow) => <Cell cell={cells.get(key)} />,
    })),
  ]
  return <Table label="Result" columns={columns} rows={table.rows} keyOf={({ id }) => id} />
}

/** The texts of a cell, or links to the records in it. */
function Cell({ cell }: { cell: ResultCell | undefined }) {
  const { types } = useTypes()
  if (!cell) return null
  if (cell.texts.length > 0) return <>{cellText(cell)}</>
  const shown = cell.records.slice(0, 3)
  return (
    <span className="chips">
      {shown.map(({ id, type }) => (
        <Link key={id} to={`/records/${type}/${id}`}>
          <LinkRing mark={markOf(types, type)}>{namesOf(type).one}</LinkRing>
        </Link>
      ))}
      {cell.records.length > shown.length && (
        <span className="soft">and {cell.records.length - shown.length} more</span>
      )}
    </span>
  )
}

interface GroupTableProps {
  readonly group: Groups
  /** The address of the records of a group. */
  readonly addressOf: (value: string) => string | undefined
}

/** The groups of one hop, with the number of records in each and their share. */
export function GroupTable({ group, addressOf }: GroupTableProps) {
  const { distinct, top } = group
  const name = groupName(group)
  const sum = top.reduce((all, { count }) => all + count, 0)
  const title = `${name}: ${numberText(distinct)} different`
  const columns: readonly Column<Groups['top'][number]>[] = [
    { name, cell: ({ value, id }) => value || `Record ${id}` },
    { name: 'Number', isNumber: true, cell: ({ count }) => numberText(count) },
    { name: 'Share', isNumber: true, cell: ({ count }) => `${((100 * count) / sum).toFixed(1)} %` },
    {
      name: 'Records',
      cell: ({ value, count }) => {
        const address = value === '' ? undefined : addressOf(value)
        return (
          address && (
            <Link className="underline b" to={address}>
              Open the {numberText(count)}
            </Link>
          )
        )
      },
    },
  ]
  return (
    <section className="section">
      <h2>{title}</h2>
      {top.length > 0 && (
        <Table label={title} columns={columns} rows={top} keyOf={({ id }) => id} />
      )}
    </section>
  )
}
