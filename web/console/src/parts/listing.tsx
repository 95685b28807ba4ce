import type { ReactNode } from 'react'
import type { Load } from '../model/load.ts'
import { errorText, type Page } from '../model/request.ts'
import { useLocation } from '../model/router.ts'
import { Link } from './link.tsx'
import { Empty, Failed, Loading } from './states.tsx'
import { type Column, Table } from './table.tsx'

/** A list that is loaded page by page, in all its states. The address has the cursor of the page as `after`. */
export function Listing<T>({
  label,
  load: { status, data, error, reload },
  columns,
  keyOf,
  empty,
}: {
  readonly label: string
  readonly load: Load<Page<T>>
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => string | number
  /** Shown instead of a table without rows. */
  readonly empty: ReactNode
}) {
  if (status === 'error' && !data && isSwitchedOff(error))
    return (
      <Empty title={`${label}: switched off`}>
        <p>{errorText(error)}</p>
      </Empty>
    )
  if (status === 'error' && !data) return <Failed error={error} retry={() => void reload()} />
  if (!data) return <Loading>Still loading: {label}.</Loading>
  return (
    <>
      {status === 'error' && <Failed error={error} retry={() => void reload()} />}
      {data.rows.length === 0 ? (
        empty
      ) : (
        <Table label={label} columns={columns} rows={data.rows} keyOf={keyOf} />
      )}
      <Pager next={data.next} />
    </>
  )
}

/** Reports whether an error says that this server does not offer the list, so that another attempt would also fail. */
const isSwitchedOff = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('this server ')

function Pager({ next }: { next: string }) {
  const { path, params } = useLocation()
  const isFirst = !params.has('after')
  if (isFirst && next === '') return null
  const [base = ''] = path.split('?')
  const to = (after: string): string => {
    const changed = new URLSearchParams(params)
    if (after === '') changed.delete('after')
    else changed.set('after', after)
    const text = changed.toString()
    return base + (text && `?${text}`)
  }
  return (
    <nav className="bar" aria-label="Pages">
      {!isFirst && (
        <Link className="button quiet" to={to('')}>
          First page
        </Link>
      )}
      {next !== '' && (
        <Link className="button quiet" to={to(next)}>
          Next page
        </Link>
      )}
    </nav>
  )
}
