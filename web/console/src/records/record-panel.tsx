import { useEffect, useMemo, useRef } from 'react'
import { useConsole, useKeys } from '../model/console.tsx'
import { numberText } from '../model/names.ts'
import { navigate, setParams } from '../model/router.ts'
import type { ConsoleType } from '../model/types.ts'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { ThreadMark } from '../parts/marks.tsx'
import { RecordBody } from './record-body.tsx'
import type { RowSource } from './row-source.ts'

interface RecordPanelProps {
  readonly type: ConsoleType
  readonly types: readonly ConsoleType[]
  readonly id: number
  readonly source: RowSource
}

/** A record next to the grid. J and K open the next and the previous record. */
export function RecordPanel({ type, types, id, source }: RecordPanelProps) {
  const { announce } = useConsole()
  const ref = useRef<HTMLElement>(null)
  const place = placeOf(source, id)
  useEffect(() => ref.current?.focus({ preventScroll: true }), [])
  const close = () => {
    setParams({ open: undefined })
    document.querySelector<HTMLElement>('.grid')?.focus({ preventScroll: true })
  }
  const step = (by: number) => {
    const next = place === undefined ? undefined : source.row(place + by)
    if (next) setParams({ open: String(next.id) })
    else announce(by > 0 ? 'This is the last loaded record.' : 'This is the first record.')
  }
  const latest = useRef({ close, step })
  latest.current = { close, step }
  const bindings = useMemo(
    () => [
      { keys: 'j', label: 'Next record', run: () => latest.current.step(1) },
      { keys: 'k', label: 'Previous record', run: () => latest.current.step(-1) },
      { keys: ']', label: 'Close the record', run: () => latest.current.close() },
      { keys: 'escape', label: 'Close the record', run: () => latest.current.close() },
      {
        keys: 'shift+enter',
        label: 'Open as a page',
        run: () => navigate(`/records/${type.name}/${id}`),
      },
    ],
    [type.name, id],
  )
  useKeys(bindings)
  return (
    <aside ref={ref} className="record" aria-label={type.names.one} tabIndex={-1}>
      <header className="bar ruled crumbs">
        <ThreadMark mark={type.mark} />
        <span>
          {type.names.one}
          {place !== undefined && ` ${numberText(place + 1)} of ${numberText(source.get().total)}`}
        </span>
        <span className="grow" />
        <button
          type="button"
          className="button bare"
          aria-label="Previous record"
          onClick={() => step(-1)}
        >
          <Icon name="up" />
        </button>
        <button
          type="button"
          className="button bare"
          aria-label="Next record"
          onClick={() => step(1)}
        >
          <Icon name="down" />
        </button>
        <Link className="button quiet desk" to={`/records/${type.name}/${id}`}>
          Full page
        </Link>
        <button type="button" className="button bare" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <RecordBody type={type} types={types} id={id} />
    </aside>
  )
}

/** How many rows from the start of the list are searched for a record. */
const searchedRows = 5_000

/** Returns the index of a record among the loaded rows; undefined if it was not found. */
function placeOf(source: RowSource, id: number): number | undefined {
  const end = Math.min(source.get().total, searchedRows)
  for (let i = 0; i < end; i++) if (source.row(i)?.id === id) return i
  return undefined
}
