import { useLoad } from '../model/load.ts'
import { ago, timeText } from '../model/times.ts'
import { Listing } from '../parts/listing.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { durationText, intervalText, type Job, loadAll } from './operations.ts'

const columns: readonly Column<Job>[] = [
  { name: 'Job', cell: ({ name, details }) => (details ? `${name}: ${details}` : name) },
  { name: 'Interval', cell: ({ every }) => intervalText(every) },
  {
    name: 'Last run',
    cell: ({ running, began, took }) => {
      if (running) return 'running now'
      return began ? `${ago(began)}, took ${durationText(took)}` : 'not yet'
    },
  },
  {
    name: 'Result',
    cell: ({ result }) => (
      <span className={result === '' || result === 'ok' ? undefined : 'level error'}>
        {result || 'none yet'}
      </span>
    ),
  },
  { name: 'Next run', cell: ({ next }) => timeText(next) },
]

/** The background jobs of the server. */
export function JobList() {
  return (
    <>
      <div className="bar">
        <h1 className="title">Jobs</h1>
      </div>
      <div className="page">
        <Listing
          label="Jobs"
          load={useLoad('/api/admin/jobs', loadAll<Job>)}
          columns={columns}
          keyOf={({ name }) => name}
          empty={<Empty title="No background jobs" />}
        />
      </div>
    </>
  )
}
