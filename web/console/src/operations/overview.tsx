import { useEffect } from 'react'
import { type Load, useLoad } from '../model/load.ts'
import { numberText } from '../model/names.ts'
import { setParams, useLocation } from '../model/router.ts'
import { bytesText, timeText } from '../model/times.ts'
import { Failed } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Card } from './card.tsx'
import { Chart, type Line, TableSwitch } from './chart.tsx'
import { durationText, type Health, type Traffic } from './operations.ts'
import { JobsCard, LogCard, SlowCard, SpaceCard } from './overview-cards.tsx'

/** The periods of the charts in minutes. */
const periods = [
  ['60', 'Last hour'],
  ['360', '6 hours'],
  ['1440', 'Day'],
] as const

/** Time between two loads of the overview, in milliseconds. */
const refreshMs = 10_000

/** The state of the server at a glance. */
export function Overview() {
  const { params } = useLocation()
  const minutes = params.get('minutes') ?? '60'
  const health = useFresh(useLoad<Health>('/api/admin/health'))
  const traffic = useFresh(
    useLoad<Traffic>(`/api/admin/traffic?minutes=${encodeURIComponent(minutes)}`),
  )
  return (
    <>
      <div className="bar wrap">
        <h1 className="title">Overview</h1>
        <span className="grow" />
        <select
          className="input filter"
          aria-label="Period of the charts"
          value={minutes}
          onChange={(event) => setParams({ minutes: event.target.value })}
        >
          {periods.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <div className="page cards">
        <HealthCard load={health} />
        <TrafficCards load={traffic} />
        <SlowCard />
        <JobsCard />
        <LogCard />
        <SpaceCard />
      </div>
    </>
  )
}

/** Repeats a load while the page is visible. */
function useFresh<T>(load: Load<T>): Load<T> {
  const { reload } = load
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload()
    }, refreshMs)
    return () => clearInterval(timer)
  }, [reload])
  return load
}

function HealthCard({ load: { data, error, reload } }: { load: Load<Health> }) {
  if (!data)
    return (
      <section className="card wide u">
        {error ? (
          <Failed error={error} retry={() => void reload()} />
        ) : (
          <p className="health" role="status">
            <b>Still loading the health of the server.</b>
          </p>
        )}
      </section>
    )
  if (error)
    return (
      <section className="card wide a" aria-label="Health">
        <div className="health">
          <b>The server does not respond</b>
          <span className="soft">The numbers below are from its last response.</span>
        </div>
      </section>
    )
  return (
    <section className={`card wide ${data.status === 'ok' ? 'd' : 'a'}`} aria-label="Health">
      <div className="health">
        <b>{sentenceOf(data)}</b>
        {data.disk && (
          <span className={data.disk.status === 'ok' ? 'check' : 'check warn'}>
            Disk: {bytesText(data.disk.free)} free
          </span>
        )}
        <span className="check">Store: responds in {durationText(data.storeTook)}</span>
        <span className="check">Memory: {bytesText(data.memory.system)}</span>
        <span className="check">
          {data.version || 'Unknown version'}, running since {timeText(data.started)}
        </span>
        {data.problems.map((problem) => (
          <span key={problem} className="check warn">
            {problem}
          </span>
        ))}
      </div>
    </section>
  )
}

/** Returns the sentence about the health of the server. */
function sentenceOf({ status, problems }: Health): string {
  if (status === 'ok') return 'The server is working'
  return problems.length === 1
    ? 'The server is working, with a problem'
    : `The server is working, with ${problems.length} problems`
}

function TrafficCards({ load: { data, error, reload } }: { load: Load<Traffic> }) {
  if (!data && error)
    return (
      <section className="card wide a">
        <Failed error={error} retry={() => void reload()} />
      </section>
    )
  const minutes = data?.minutes ?? []
  const times = minutes.map(({ at }) => Date.parse(at) / 1_000)
  const requests: readonly Line[] = [
    { name: 'requests', dye: 'indigo', values: minutes.map((one) => one.requests / 60) },
    {
      name: 'failed',
      dye: 'madder',
      isDashed: true,
      values: minutes.map((one) => one.failed / 60),
    },
  ]
  const latency: readonly Line[] = [
    { name: 'median', dye: 'indigo', values: minutes.map((one) => one.p50) },
    {
      name: '95 % of requests',
      dye: 'madder',
      isDashed: true,
      values: minutes.map((one) => one.p95),
    },
  ]
  return (
    <>
      <Card
        title="Requests per second"
        className="half b"
        action={<TableSwitch id="requests" label="Requests per second" />}
      >
        <RequestNumbers minutes={minutes} />
        <Chart
          id="requests"
          label="Requests per second"
          times={times}
          lines={requests}
          format={perSecond}
        />
      </Card>
      <Card
        title="Response time"
        className="half a"
        action={<TableSwitch id="latency" label="Response time" />}
      >
        <LatencyNumbers minutes={minutes} />
        <Chart
          id="latency"
          label="Response time"
          times={times}
          lines={latency}
          format={durationText}
        />
      </Card>
      <RouteCard routes={data?.routes ?? []} />
    </>
  )
}

const perSecond = (value: number): string =>
  value < 10 ? value.toFixed(1) : numberText(Math.round(value))

/** Shown while the numbers load, at their height, so that nothing moves when they arrive. */
const StillLoading = () => (
  <p className="big">
    <small>Still loading the numbers.</small>
  </p>
)

function RequestNumbers({ minutes }: { minutes: Traffic['minutes'] }) {
  const sum = (of: (one: Traffic['minutes'][number]) => number) =>
    minutes.reduce((total, one) => total + of(one), 0)
  const last = minutes.at(-2) ?? minutes.at(-1)
  if (last === undefined) return <StillLoading />
  return (
    <p className="big">
      {perSecond(last.requests / 60)}{' '}
      <small>
        in the last minute; {numberText(sum((one) => one.refused))} refused,{' '}
        {numberText(sum((one) => one.failed))} failed
      </small>
    </p>
  )
}

function LatencyNumbers({ minutes }: { minutes: Traffic['minutes'] }) {
  if (minutes.length === 0) return <StillLoading />
  const last = minutes.findLast(({ requests }) => requests > 0)
  return (
    <p className="big">
      {durationText(last?.p50 ?? 0)}{' '}
      <small>median; 95 % of requests took at most {durationText(last?.p95 ?? 0)}</small>
    </p>
  )
}

/** The number of routes in the table of the overview. */
const shownRoutes = 8

const routeColumns: readonly Column<Traffic['routes'][number]>[] = [
  { name: 'Route', cell: ({ route }) => <span className="mono">{route}</span> },
  { name: 'Requests', isNumber: true, cell: ({ requests }) => numberText(requests) },
  { name: 'Median', isNumber: true, cell: ({ p50 }) => durationText(p50) },
  { name: '95 % within', isNumber: true, cell: ({ p95 }) => durationText(p95) },
]

function RouteCard({ routes }: { routes: Traffic['routes'] }) {
  return (
    <Card title="Most used routes since the start" className="wide b">
      <Table
        label="Most used routes"
        rows={routes.slice(0, shownRoutes)}
        keyOf={({ route }) => route}
        columns={routeColumns}
      />
    </Card>
  )
}
