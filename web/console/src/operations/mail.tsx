import { useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { useLoad } from '../model/load.ts'
import { setParams, useLocation } from '../model/router.ts'
import { useRun } from '../model/run.ts'
import { timeText } from '../model/times.ts'
import { Irreversible } from '../parts/irreversible.tsx'
import { Listing } from '../parts/listing.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { loadMail, type Mail, mailPath } from './operations.ts'

/** The mail of all users, with buttons that send or delete a message. */
export function MailQueue() {
  const { params } = useLocation()
  const state = params.get('state') ?? ''
  const load = useLoad(mailPath(state, params.get('after') ?? ''), loadMail)
  const { announce, request } = useConsole()
  const [removing, setRemoving] = useState<Mail>()
  const columns = useMailColumns(load.reload, setRemoving)
  const remove = async ({ id, subject }: Mail) => {
    await request(pathOfMail(id), { method: 'DELETE' })
    announce(`“${subject}” was deleted`)
    await load.reload()
  }
  return (
    <>
      <div className="bar wrap">
        <h1 className="title">Mail</h1>
        <span className="grow" />
        <select
          className="input filter"
          aria-label="State"
          value={state}
          onChange={(event) => setParams({ state: event.target.value, after: undefined })}
        >
          <option value="">All</option>
          <option value="queued">Waiting</option>
          <option value="failed">Failed</option>
          <option value="sent">Sent</option>
        </select>
      </div>
      <div className="page">
        <Listing
          label="Mail"
          load={load}
          columns={columns}
          keyOf={({ id }) => id}
          empty={<Empty title={state === '' ? 'No mail' : 'No mail in this state'} />}
        />
      </div>
      <Irreversible
        title="Delete an e-mail"
        name={removing?.subject ?? ''}
        button="Delete the e-mail"
        isOpen={removing !== undefined}
        close={() => setRemoving(undefined)}
        run={() => (removing ? remove(removing) : Promise.resolve())}
      >
        {removing?.state === 'queued'
          ? 'The e-mail will not be sent.'
          : 'The e-mail will be removed from the list.'}
      </Irreversible>
    </>
  )
}

const pathOfMail = (id: string): string => `/api/admin/mail/${encodeURIComponent(id)}`

function useMailColumns(
  reload: () => Promise<void>,
  remove: (mail: Mail) => void,
): readonly Column<Mail>[] {
  const { announce, request } = useConsole()
  const run = useRun()
  const retry = ({ id, subject }: Mail) =>
    run(async () => {
      await request(`${pathOfMail(id)}/retry`, { method: 'POST' })
      await reload()
      announce(`“${subject}” is being sent again`)
    })
  return [
    { name: 'To', cell: ({ to }) => to.map(({ address }) => address).join(', ') },
    { name: 'Subject', cell: ({ subject }) => subject },
    { name: 'State', cell: stateText },
    { name: 'Written', isTime: true, cell: ({ created }) => timeText(created) },
    {
      name: 'Actions',
      cell: (mail) => (
        <span className="acts">
          {mail.state !== 'sent' && (
            <button
              type="button"
              className="button quiet"
              aria-label={`Retry ${mail.subject}`}
              onClick={() => void retry(mail)}
            >
              Retry
            </button>
          )}
          <button
            type="button"
            className="button quiet"
            aria-label={`Delete ${mail.subject}`}
            onClick={() => remove(mail)}
          >
            Delete
          </button>
        </span>
      ),
    },
  ]
}

function stateText({ state, attempts, next, to }: Mail): string {
  const problem = to.find(({ error }) => error)?.error
  if (state === 'sent') return 'sent'
  const tries = attempts > 0 ? `, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` : ''
  const when = state === 'queued' && next ? `, next ${timeText(next)}` : ''
  return `${state === 'queued' ? 'waiting' : 'failed'}${tries}${when}${problem ? `: ${problem}` : ''}`
}
