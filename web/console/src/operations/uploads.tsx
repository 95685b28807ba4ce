import { useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { useLoad } from '../model/load.ts'
import { useLocation } from '../model/router.ts'
import { bytesText, dateText } from '../model/times.ts'
import { Irreversible } from '../parts/irreversible.tsx'
import { Listing } from '../parts/listing.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { loadUploads, type Space, type Upload, uploadsPath } from './operations.ts'

/** The uploads of all users, and their space. */
export function Uploads() {
  const { params } = useLocation()
  const { request, announce } = useConsole()
  const space = useLoad<Space>('/api/admin/uploads/space?top=5')
  const load = useLoad(uploadsPath(params.get('after') ?? ''), loadUploads)
  const [removing, setRemoving] = useState<Upload>()
  const remove = async (upload: Upload) => {
    await request(`/api/uploads/${encodeURIComponent(upload.name)}`, { method: 'DELETE' })
    announce(`${titleOf(upload)} was deleted`)
    await Promise.all([load.reload(), space.reload()])
  }
  return (
    <>
      <div className="bar wrap">
        <h1 className="title">Uploads</h1>
        {space.data && (
          <span className="soft">
            {bytesText(space.data.total)} used; each user may use {bytesText(space.data.quota)}
          </span>
        )}
      </div>
      <div className="page">
        {space.data && space.data.owners.length > 0 && <SpaceByUser space={space.data} />}
        <Listing
          label="Uploads"
          load={load}
          columns={columnsOf(setRemoving)}
          keyOf={({ name }) => name}
          empty={<Empty title="No uploads" />}
        />
      </div>
      <Irreversible
        title="Delete an upload"
        name={removing ? titleOf(removing) : ''}
        button="Delete the upload"
        isOpen={removing !== undefined}
        close={() => setRemoving(undefined)}
        run={() => (removing ? remove(removing) : Promise.resolve())}
      >
        Records that refer to the file keep the reference, which is broken afterwards.
      </Irreversible>
    </>
  )
}

const titleOf = ({ original, name }: Upload): string => original || name

function SpaceByUser({ space: { owners, total } }: { space: Space }) {
  return (
    <ol className="mini-list space">
      {owners.map(({ owner, email, bytes }) => (
        <li key={owner}>
          <span className="cut">{email || 'guests'}</span>
          <meter min={0} max={total} value={bytes} aria-label={`Space of ${email || 'guests'}`} />
          <span className="num">{bytesText(bytes)}</span>
        </li>
      ))}
    </ol>
  )
}

const columnsOf = (remove: (upload: Upload) => void): readonly Column<Upload>[] => [
  {
    name: 'File',
    cell: (upload) => (
      <a className="underline" href={upload.url} target="_blank" rel="noreferrer">
        {titleOf(upload)}
      </a>
    ),
  },
  { name: 'Kind', cell: ({ kind }) => kind },
  { name: 'Size', isNumber: true, cell: ({ size }) => bytesText(size) },
  { name: 'Owner', cell: ({ email }) => email || 'a guest' },
  { name: 'Uploaded', cell: ({ created }) => dateText(created) },
  {
    name: 'Actions',
    cell: (upload) => (
      <button
        type="button"
        className="button quiet"
        aria-label={`Delete ${titleOf(upload)}`}
        onClick={() => remove(upload)}
      >
        Delete
      </button>
    ),
  },
]
