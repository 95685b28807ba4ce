import { useLoad } from '../model/load.ts'
import { namesOf, numberText } from '../model/names.ts'
import { setParams, useLocation } from '../model/router.ts'
import { Listing } from '../parts/listing.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { loadAll, pathOf, type Used } from './operations.ts'

const columns: readonly Column<Used>[] = [
  {
    name: 'Record',
    cell: ({ value, type, id }) => value || `${type ? namesOf(type).one : 'Connection'} ${id}`,
  },
  { name: 'Type', cell: ({ type }) => (type ? namesOf(type).one : '') },
  { name: 'Score', isNumber: true, cell: ({ uses }) => numberText(Math.round(uses * 10) / 10) },
]

/** The records that are used most. */
export function Usage() {
  const { params } = useLocation()
  const kind = params.get('kind') ?? 'concepts'
  const load = useLoad(pathOf('/api/admin/usage', { kind, top: 100 }), loadAll<Used>)
  return (
    <>
      <div className="bar wrap">
        <h1 className="title">Usage ranking</h1>
        <span className="soft desk">The score counts uses; recent ones count more.</span>
        <span className="grow" />
        <select
          className="input filter"
          aria-label="Kind"
          value={kind}
          onChange={(event) => setParams({ kind: event.target.value })}
        >
          <option value="concepts">Concepts</option>
          <option value="connections">Connections</option>
        </select>
      </div>
      <div className="page">
        <Listing
          label="Usage ranking"
          load={load}
          columns={columns}
          keyOf={({ id }) => id}
          empty={
            <Empty title="No uses were counted">
              <p>
                Pages with <code>@weft/client/tracker</code> report which records they use.
              </p>
            </Empty>
          }
        />
      </div>
    </>
  )
}
