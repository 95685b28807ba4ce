import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { ConsoleType } from '../model/types.ts'
import { Link } from '../parts/link.tsx'
import { cellOf, type Row } from './cell.ts'
import { type Column, titleColumn } from './columns.ts'
import { CellContent } from './grid-row.tsx'
import type { RowSource } from './row-source.ts'
import { useViewport } from './use-viewport.ts'

interface RecordListProps {
  readonly type: ConsoleType
  readonly types: readonly ConsoleType[]
  readonly columns: readonly Column[]
  readonly source: RowSource
}

/** The height of a record in pixels: two lines and space around them. */
const rowHeight = 67

/** The records on a phone: two lines each; a tap opens the record. */
export function RecordList({ type, types, columns, source }: RecordListProps) {
  const ref = useRef<HTMLDivElement>(null)
  const { total } = useSyncExternalStore(source.subscribe, source.get)
  useSyncExternalStore(source.subscribe, source.version)
  const viewport = useViewport(ref, total, rowHeight, 0)
  const { first, last } = viewport
  useEffect(() => source.show(first, last), [source, first, last])
  const shown = shownColumns(columns)
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    <section ref={ref} className="record-list" aria-label={type.names.many} tabIndex={0}>
      <ul style={{ height: viewport.height }}>
        {indexes.map((index) => (
          <li key={index} style={{ transform: `translateY(${viewport.topOf(index)}px)` }}>
            <ListItem row={source.row(index)} {...{ type, types, shown }} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface Shown {
  readonly title: Column | undefined
  readonly amount: Column | undefined
  readonly link: Column | undefined
  readonly state: Column | undefined
}

/** Chooses the four columns of a record in the list: name, number, link and choice. */
function shownColumns(columns: readonly Column[]): Shown {
  const title = titleColumn(columns)
  const others = columns.filter((column) => column !== title)
  const amount = others.find(
    ({ kind, key }) => kind === 'number' && /total|price|amount|sum/.test(key),
  )
  const link = others.find(({ kind }) => kind === 'link')
  const state = others.find(({ kind }) => kind === 'choice')
  const rest = others.filter((column) => ![amount, link, state].includes(column))
  return {
    title,
    amount: amount ?? rest.find(({ kind }) => kind === 'date' || kind === 'number'),
    link: link ?? rest.find(({ kind }) => kind === 'text'),
    state,
  }
}

function ListItem({
  row,
  type,
  types,
  shown,
}: {
  readonly row: Row | undefined
  readonly type: ConsoleType
  readonly types: readonly ConsoleType[]
  readonly shown: Shown
}) {
  if (!row) return <span className="skel" />
  // A record may have no value in this column, and its fields may arrive after it. The link needs a name.
  const hasTitle = shown.title !== undefined && cellOf(row, shown.title).text !== ''
  const cell = (column: Column | undefined) =>
    column && <CellContent cell={cellOf(row, column)} column={column} types={types} />
  return (
    <Link to={`/records/${type.name}/${row.id}`}>
      <span className="name">{hasTitle ? cell(shown.title) : `#${row.id}`}</span>
      <span className="num">{cell(shown.amount)}</span>
      <span>{cell(shown.link)}</span>
      <span className="num">{cell(shown.state)}</span>
    </Link>
  )
}
