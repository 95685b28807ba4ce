import { useLoad } from '../model/load.ts'
import { namesOf } from '../model/names.ts'
import { useLocation } from '../model/router.ts'
import { timeText } from '../model/times.ts'
import { Link } from '../parts/link.tsx'
import { Listing } from '../parts/listing.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { durationText, loadSlow, type SlowQuery, slowPath } from './operations.ts'

const columns: readonly Column<SlowQuery>[] = [
  { name: 'Records', cell: ({ type }) => (type ? namesOf(type).many : 'a query without a type') },
  { name: 'Took', isNumber: true, cell: ({ took }) => durationText(took) },
  { name: 'When', cell: ({ at }) => timeText(at) },
  {
    name: 'User',
    cell: ({ user }) =>
      user ? (
        <Link className="underline" to={`/people/users/${user}`}>
          user {user}
        </Link>
      ) : (
        'a guest'
      ),
  },
  { name: 'Request', cell: ({ request }) => <span className="mono">{request}</span> },
  {
    name: 'Plan',
    cell: ({ plan, error }) => (
      <details>
        <summary>{error ? 'Failed' : 'Plan'}</summary>
        {error && <p>{error}</p>}
        <pre>{plan}</pre>
      </details>
    ),
  },
]

/** The last slow queries with their plans. */
export function SlowQueries() {
  const { params } = useLocation()
  const load = useLoad(slowPath(params.get('after') ?? ''), loadSlow)
  return (
    <>
      <div className="bar">
        <h1 className="title">Slow queries</h1>
      </div>
      <div className="page">
        <Listing
          label="Slow queries"
          load={load}
          columns={columns}
          keyOf={({ number }) => number}
          empty={
            <Empty title="No slow queries">
              <p>
                A query that takes longer than the setting <code>slow-query</code> appears here with
                its plan. The list is empty after a restart of the server.
              </p>
            </Empty>
          }
        />
      </div>
    </>
  )
}
