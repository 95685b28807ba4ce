import { useLoad } from '../model/load.ts'
import { setParams, useLocation } from '../model/router.ts'
import { timeText } from '../model/times.ts'
import { Link } from '../parts/link.tsx'
import { Listing } from '../parts/listing.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { type AuditEntry, actionText, auditPath, loadAudit } from './people.ts'

const columns: readonly Column<AuditEntry>[] = [
  { name: 'When', isTime: true, cell: ({ at }) => timeText(at) },
  {
    name: 'Admin',
    cell: ({ by, byEmail }) => (
      <Link className="underline" to={`/people/users/${by}`}>
        {byEmail ?? `user ${by}`}
      </Link>
    ),
  },
  { name: 'Action', cell: ({ action }) => actionText(action) },
  { name: 'Target', cell: ({ target }) => target },
  { name: 'Detail', cell: ({ detail }) => detail ?? '' },
  { name: 'Address', cell: ({ address }) => <span className="mono">{address}</span> },
]

/** The groups of actions, by the beginning of their names. */
const groups = [
  ['user.', 'Accounts'],
  ['session.', 'Sessions'],
  ['key.', 'Keys'],
  ['sample.', 'Sample data'],
  ['schema.', 'Schema'],
  ['content.', 'Content'],
  ['backup.', 'Backups'],
  ['mail.', 'Mail'],
  ['upload.', 'Uploads'],
] as const

/** The actions of admins, newest first. */
export function Audit() {
  const { params } = useLocation()
  const text = params.get('q') ?? ''
  const action = params.get('action') ?? ''
  const load = useLoad(auditPath(text, action, params.get('after') ?? ''), loadAudit)
  return (
    <>
      <div className="bar wrap">
        <h1 className="title">Audit log</h1>
        <SearchField label="Search targets and details" text={text} />
        <select
          className="input filter"
          aria-label="Actions"
          value={action}
          onChange={(event) => setParams({ action: event.target.value, after: undefined })}
        >
          <option value="">All actions</option>
          {groups.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <div className="page">
        <Listing
          label="Audit log"
          load={load}
          columns={columns}
          keyOf={({ number }) => number}
          empty={
            <Empty title="No actions of admins">
              <p>Each change that an admin makes over HTTP appears here.</p>
            </Empty>
          }
        />
      </div>
    </>
  )
}
