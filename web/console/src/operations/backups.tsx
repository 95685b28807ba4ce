import { useEffect, useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { type Load, useLoad } from '../model/load.ts'
import type { Page } from '../model/request.ts'
import { useLocation } from '../model/router.ts'
import { useRun } from '../model/run.ts'
import { ago, bytesText, timeText } from '../model/times.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { Irreversible } from '../parts/irreversible.tsx'
import { Listing } from '../parts/listing.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { type Archive, type Backups, intervalText, pathOf } from './operations.ts'

/** Time between two loads while work is in progress, in milliseconds. */
const workMs = 500

/** Backups: create, check by restoring, download, delete. */
export function BackupList() {
  const { params } = useLocation()
  const { request } = useConsole()
  const run = useRun()
  const load = useLoad<Backups>(
    pathOf('/api/admin/backups', { before: params.get('after') ?? '', inpage: 50 }),
  )
  const isWorking = useWork(load)
  const make = () =>
    run(async () => {
      await request('/api/admin/backups', { method: 'POST' })
      await load.reload()
    })
  return (
    <>
      <div className="bar wrap">
        <h1 className="title">Backups</h1>
        <span className="grow" />
        {load.data && (
          <BusyButton className="button" isBusy={isWorking} onClick={() => void make()}>
            Create a backup
          </BusyButton>
        )}
      </div>
      <div className="page">
        {load.data && <Schedule backups={load.data} />}
        <ArchiveList load={load} isWorking={isWorking} />
      </div>
    </>
  )
}

/** Reports whether a backup is being created or checked, and announces the result when it ends. */
function useWork({ data, reload }: Load<Backups>): boolean {
  const { announce } = useConsole()
  const [wasWorking, setWasWorking] = useState(false)
  const work = data?.work
  const isWorking = Boolean(work && work.kind !== '' && !isTime(work.ended))
  useEffect(() => {
    if (!isWorking) return
    const timer = setInterval(() => void reload(), workMs)
    return () => clearInterval(timer)
  }, [isWorking, reload])
  useEffect(() => {
    if (isWorking) setWasWorking(true)
    else if (wasWorking && work) {
      setWasWorking(false)
      announce(endText(work))
    }
  }, [isWorking, wasWorking, work, announce])
  return isWorking
}

/** Reports whether the server sent a time. Go's zero time, in the year 1, means none. */
const isTime = (time: string | undefined): boolean => Boolean(time && !time.startsWith('0001'))

function endText({ kind, name, error }: Backups['work']): string {
  if (error)
    return kind === 'make'
      ? `The backup ${name} was not created: ${error}`
      : `The check of ${name} failed: ${error}`
  return kind === 'make' ? `The backup ${name} was created` : `${name} can be restored`
}

function Schedule({ backups: { schedule, place, work } }: { backups: Backups }) {
  const running = work.kind === 'make' ? 'being created' : 'being restored to a temporary folder'
  return (
    <section className="section d">
      <h2>Schedule</h2>
      <p>
        {schedule
          ? `Every ${intervalText(schedule.every)}, and the last ${schedule.keep} are kept.`
          : 'There is no schedule. The settings backup-to and backup-every of the server define one.'}{' '}
        Place: <code>{place}</code>
      </p>
      {schedule && (
        <p className="soft">
          {schedule.succeeded
            ? `The last backup was created ${ago(schedule.succeeded)}.`
            : 'No scheduled backup has been created yet.'}{' '}
          {schedule.next && `The next backup is due at ${timeText(schedule.next)}.`}
        </p>
      )}
      {schedule?.error && <p className="level error">Last failure: {schedule.error}</p>}
      {work.kind !== '' && !isTime(work.ended) && (
        <p role="status">
          {work.name} is {running}.
        </p>
      )}
    </section>
  )
}

function ArchiveList({ load, isWorking }: { load: Load<Backups>; isWorking: boolean }) {
  const { request, announce } = useConsole()
  const [removing, setRemoving] = useState<Archive>()
  const columns = useArchiveColumns(load.reload, isWorking, setRemoving)
  const { data } = load
  const page: Load<Page<Archive>> = {
    ...load,
    data: data && { rows: data.backups, next: data.next },
  }
  const remove = async ({ name }: Archive) => {
    await request(archivePath(name), { method: 'DELETE' })
    announce(`The backup ${name} was deleted`)
    await load.reload()
  }
  return (
    <>
      <Listing
        label="Backups"
        load={page}
        columns={columns}
        keyOf={({ name }) => name}
        empty={
          <Empty title="No backups yet">
            <p>A backup is one file with all records, accounts and uploads.</p>
          </Empty>
        }
      />
      <Irreversible
        title="Delete a backup"
        name={removing?.name ?? ''}
        button="Delete the backup"
        isOpen={removing !== undefined}
        close={() => setRemoving(undefined)}
        run={() => (removing ? remove(removing) : Promise.resolve())}
      >
        The file of the backup is deleted from the server.
      </Irreversible>
    </>
  )
}

const archivePath = (name: string): string => `/api/admin/backups/${encodeURIComponent(name)}`

function useArchiveColumns(
  reload: () => Promise<void>,
  isWorking: boolean,
  remove: (archive: Archive) => void,
): readonly Column<Archive>[] {
  const { request } = useConsole()
  const run = useRun()
  const verify = ({ name }: Archive) =>
    run(async () => {
      await request(`${archivePath(name)}/verify`, { method: 'POST' })
      await reload()
    })
  const download = ({ name }: Archive) =>
    run(async () => {
      const { path } = await request<{ path: string }>(`${archivePath(name)}/link`, {
        method: 'POST',
      })
      location.assign(path)
    })
  return [
    { name: 'Backup', cell: ({ name }) => <span className="mono">{name}</span> },
    { name: 'Made', cell: ({ made }) => `${timeText(made)}, ${ago(made)}` },
    { name: 'Size', isNumber: true, cell: ({ size }) => bytesText(size) },
    { name: 'Restore check', cell: checkText },
    {
      name: 'Actions',
      cell: (archive) => (
        <span className="acts">
          <button
            type="button"
            className="button quiet"
            aria-label={`Download ${archive.name}`}
            onClick={() => void download(archive)}
          >
            Download
          </button>
          <BusyButton
            className="button quiet"
            aria-label={`Check ${archive.name}`}
            isBusy={isWorking}
            onClick={() => void verify(archive)}
          >
            Check
          </BusyButton>
          <button
            type="button"
            className="button quiet"
            aria-label={`Delete ${archive.name}`}
            onClick={() => remove(archive)}
          >
            Delete
          </button>
        </span>
      ),
    },
  ]
}

function checkText({ verified }: Archive) {
  if (!verified) return 'not checked since the server started'
  if (verified.error) return <span className="level error">{verified.error}</span>
  return `can be restored, ${ago(verified.at)}`
}
