import { useLoad } from '../model/load.ts'
import { namesOf } from '../model/names.ts'
import { errorText } from '../model/request.ts'
import { ago, bytesText } from '../model/times.ts'
import { Link } from '../parts/link.tsx'
import { Card } from './card.tsx'
import {
  durationText,
  type Job,
  loadAll,
  loadLog,
  loadSlow,
  logPath,
  type Space,
  slowPath,
} from './operations.ts'

/** The number of rows in a card. */
const shownRows = 5

const All = ({ to, children = 'All' }: { to: string; children?: string }) => (
  <Link className="switch" to={`/operations/${to}`}>
    {children}
  </Link>
)

/** The last slow queries. */
export function SlowCard() {
  const { data, error } = useLoad(slowPath('', shownRows), loadSlow)
  return (
    <Card title="Slow queries" className="half a" action={<All to="slow" />}>
      <Problem error={error} />
      {data?.rows.length === 0 && <p className="soft">None since the start.</p>}
      <ol className="mini-list">
        {data?.rows.map(({ number, type, took, at }) => (
          <li key={number}>
            <span className="cut">{type ? namesOf(type).many : 'Query'}</span>
            <span className="num">{durationText(took)}</span>
            <span className="soft">{ago(at)}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** Background jobs with their results. */
export function JobsCard() {
  const { data, error } = useLoad('/api/admin/jobs', loadAll<Job>)
  return (
    <Card title="Jobs" className="half d" action={<All to="jobs" />}>
      <Problem error={error} />
      <ol className="mini-list">
        {data?.rows.slice(0, shownRows).map(({ name, running, result, began }) => (
          <li key={name}>
            <span className="cut">{name}</span>
            <span className="soft">
              {running ? 'running' : result || 'not yet'}
              {began && !running && `, ${ago(began)}`}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** The last lines of the log that are warnings or errors. */
export function LogCard() {
  const { data, error } = useLoad(logPath('warn', '', '', shownRows), loadLog)
  return (
    <Card
      title="Warnings and errors in the log"
      className="half b"
      action={<All to="logs">Open</All>}
    >
      <Problem error={error} />
      {data?.rows.length === 0 && <p className="soft">None since the start.</p>}
      <ol className="mini-list mono">
        {data?.rows.map(({ number, level, message, at }) => (
          <li key={number}>
            <span className={`level ${level.toLowerCase()}`}>{level.toLowerCase()}</span>
            <span className="cut" title={message}>
              {message}
            </span>
            <span className="soft">{ago(at)}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** The space of uploads by user. */
export function SpaceCard() {
  const { data, error } = useLoad<Space>('/api/admin/uploads/space?top=3')
  return (
    <Card title="Space of uploads" className="half c" action={<All to="uploads">Uploads</All>}>
      <Problem error={error} />
      {data && (
        <p className="big">
          {bytesText(data.total)} <small>used; each user may use {bytesText(data.quota)}</small>
        </p>
      )}
      <ol className="mini-list">
        {data?.owners.map(({ owner, email, bytes }) => (
          <li key={owner}>
            <span className="cut">{email || 'guests'}</span>
            <span className="num">{bytesText(bytes)}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

const Problem = ({ error }: { error: unknown }) =>
  error ? <p className="soft">{errorText(error)}</p> : null
