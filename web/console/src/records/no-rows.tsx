import type { ConsoleType } from '../model/types.ts'
import { Link } from '../parts/link.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from './columns.ts'
import { conditionText } from './condition-text.ts'
import { NewRecord } from './new-record.tsx'
import type { ViewState } from './view-state.ts'

/** Explains why a grid has no rows, and offers actions. */
export function NoRows({
  type,
  all,
  view,
  setView,
}: {
  readonly type: ConsoleType
  readonly all: readonly Column[]
  readonly view: ViewState
  readonly setView: (change: Partial<ViewState>) => void
}) {
  const many = type.names.many.toLowerCase()
  const last = view.conditions.at(-1)
  if (!last && view.text === '')
    return (
      <Empty title={`No ${many} yet`}>
        <p>Create one, or import a file.</p>
        <p className="acts">
          <NewRecord type={type} columns={all} />
          <Link className="button quiet" to={`/records/${type.name}/import`}>
            Import a file
          </Link>
        </p>
      </Empty>
    )
  const count = view.conditions.length + (view.text === '' ? 0 : 1)
  const one = view.conditions.length === 0 ? 'this search' : 'this filter'
  return (
    <Empty
      title={`No ${type.names.one.toLowerCase()} matches ${count === 1 ? one : `these ${count} filters`}`}
    >
      <p className="acts">
        {last && (
          <button
            type="button"
            className="button quiet"
            onClick={() => setView({ conditions: view.conditions.slice(0, -1) })}
          >
            Remove “{conditionText(all, last)}”
          </button>
        )}
        {view.text !== '' && (
          <button type="button" className="button quiet" onClick={() => setView({ text: '' })}>
            Remove the search for “{view.text}”
          </button>
        )}
      </p>
    </Empty>
  )
}
