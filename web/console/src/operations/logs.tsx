import { useLoad } from '../model/load.ts'
import { setParams, useLocation } from '../model/router.ts'
import { timeText } from '../model/times.ts'
import { Listing } from '../parts/listing.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import {
  type ClientLog,
  clientLogPath,
  type LogLine,
  loadClientLog,
  loadLog,
  logPath,
} from './operations.ts'

const levels = ['debug', 'info', 'warn', 'error'] as const

/** The log of the server, or with `of=browsers` the entries that browsers reported. */
export function Logs() {
  const { params } = useLocation()
  const isBrowsers = params.get('of') === 'browsers'
  const level = params.get('level') ?? ''
  return (
    <>
      <div className="bar wrap">
        <h1 className="title">Logs</h1>
        <Tabs
          label="Source of the log"
          tabs={[
            { to: '/operations/logs', label: 'Server', isCurrent: !isBrowsers },
            { to: '/operations/logs?of=browsers', label: 'Browsers', isCurrent: isBrowsers },
          ]}
        />
        <span className="grow" />
        <SearchField label="Search the log" text={params.get('q') ?? ''} />
        <select
          className="input filter"
          aria-label="Level"
          value={level}
          onChange={(event) => setParams({ level: event.target.value, after: undefined })}
        >
          <option value="">All levels</option>
          {levels.map((one) => (
            <option key={one} value={one}>
              {isBrowsers || one === 'debug' ? one : `${one} and above`}
            </option>
          ))}
        </select>
      </div>
      <div className="page">{isBrowsers ? <BrowserLog /> : <ServerLog />}</div>
    </>
  )
}

/** Returns a log level as a word in its colour. */
const levelText = (level: string) => (
  <span className={`level ${level.toLowerCase()}`}>{level.toLowerCase()}</span>
)

const lineColumns: readonly Column<LogLine>[] = [
  { name: 'Time', isTime: true, cell: ({ at }) => timeText(at) },
  { name: 'Level', cell: ({ level }) => levelText(level) },
  { name: 'Message', cell: ({ message }) => message },
  {
    name: 'Values',
    cell: ({ attrs }) => (
      <span className="mono">
        {Object.entries(attrs)
          .map(([name, value]) => `${name}=${value}`)
          .join(' ')}
      </span>
    ),
  },
]

function ServerLog() {
  const { params } = useLocation()
  const path = logPath(params.get('level') ?? '', params.get('q') ?? '', params.get('after') ?? '')
  return (
    <Listing
      label="Log of the server"
      load={useLoad(path, loadLog)}
      columns={lineColumns}
      keyOf={({ number }) => number}
      empty={<Empty title="No lines match" />}
    />
  )
}

const clientColumns: readonly Column<ClientLog>[] = [
  { name: 'Time', isTime: true, cell: ({ received }) => timeText(received) },
  { name: 'Level', cell: ({ entry }) => levelText(textOf(entry, 'logLevel', 'level')) },
  { name: 'Message', cell: ({ entry }) => textOf(entry, 'message', 'functionName') },
  {
    name: 'All members',
    cell: ({ entry }) => (
      <details>
        <summary>Open</summary>
        <pre>{JSON.stringify(entry, null, 2)}</pre>
      </details>
    ),
  },
]

/** Returns the text of the first named member that an entry has. Clients choose the names of the members themselves. */
function textOf(entry: unknown, ...names: string[]): string {
  const members = (entry ?? {}) as Readonly<Record<string, unknown>>
  const found = names.map((name) => members[name]).find((value) => value !== undefined)
  return found === undefined ? '' : String(found)
}

function BrowserLog() {
  const { params } = useLocation()
  const path = clientLogPath(
    params.get('level') ?? '',
    params.get('q') ?? '',
    params.get('after') ?? '',
  )
  return (
    <Listing
      label="Log of browsers"
      load={useLoad(path, loadClientLog)}
      columns={clientColumns}
      keyOf={({ id }) => id}
      empty={
        <Empty title="No entries">
          <p>
            Entries that pages report with <code>@weft/client/logger</code> appear here.
          </p>
        </Empty>
      }
    />
  )
}
