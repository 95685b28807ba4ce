import { useLoad } from '../model/load.ts'
import { numberText } from '../model/names.ts'
import { setParams, useLocation } from '../model/router.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Card } from './card.tsx'
import { Chart, TableSwitch } from './chart.tsx'
import { pathOf, type Visits } from './operations.ts'

/** The periods that a user can choose: hours and label. */
const periods = [
  ['24', 'Last day'],
  ['168', 'Last week'],
  ['720', 'Last 30 days'],
] as const

/** The server counts visits per quarter of an hour. */
const quarterMs = 15 * 60_000

/** The page with the number of visits per page, and per quarter of an hour. */
export function VisitCounts() {
  const { params } = useLocation()
  const hours = params.get('hours') ?? '24'
  // Rounding keeps the path, and thus the loaded data, the same for all renders within a quarter of an hour.
  const from = new Date(
    Math.floor(Date.now() / quarterMs) * quarterMs - Number(hours) * 3_600_000,
  ).toISOString()
  const load = useLoad<Visits>(pathOf('/api/logs/visits', { from }))
  return (
    <>
      <div className="bar wrap">
        <h1 className="title">Visits</h1>
        <span className="grow" />
        <select
          className="input filter"
          aria-label="Period"
          value={hours}
          onChange={(event) => setParams({ hours: event.target.value })}
        >
          {periods.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <div className="page">
        {load.status === 'error' && <Failed error={load.error} retry={() => void load.reload()} />}
        {!load.data && load.status === 'loading' && <Loading>Still loading the visits.</Loading>}
        {load.data && <VisitPage visits={load.data} />}
      </div>
    </>
  )
}

function VisitPage({ visits: { visits, sessions, pages, quarters } }: { visits: Visits }) {
  if (visits === 0)
    return (
      <Empty title="No visits in this period">
        <p>
          Pages that report visits with <code>@weft/client/monitor</code> appear here.
        </p>
      </Empty>
    )
  return (
    <>
      <Card
        title="Visits by quarter of an hour"
        className="b"
        action={<TableSwitch id="visits" label="Visits" />}
      >
        <p className="big">
          {numberText(visits)} <small>visits in {numberText(sessions)} sessions</small>
        </p>
        <Chart
          id="visits"
          label="Visits by quarter of an hour"
          times={quarters.map(({ at }) => Date.parse(at) / 1_000)}
          lines={[
            { name: 'visits', dye: 'indigo', values: quarters.map((quarter) => quarter.visits) },
          ]}
          format={numberText}
        />
      </Card>
      <Table
        label="Pages"
        columns={[
          { name: 'Page', cell: ({ page }) => page },
          { name: 'Application', cell: ({ application }) => application },
          { name: 'Visits', isNumber: true, cell: (row) => numberText(row.visits) },
          {
            name: 'Average time',
            isNumber: true,
            cell: (row) => `${numberText(Math.round(row.seconds / Math.max(row.visits, 1)))} s`,
          },
        ]}
        rows={pages}
        keyOf={({ application, page }) => `${application} ${page}`}
      />
    </>
  )
}
