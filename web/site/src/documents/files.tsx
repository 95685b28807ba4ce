import { useRef, useState } from 'react'
import { ErrorMessage } from '../error-message.tsx'
import { formatBytes } from './format-bytes.ts'
import { deleteUpload, maxListedUploads, type Upload } from './uploads.ts'

interface FilesProps {
  readonly uploads: readonly Upload[]
  readonly onDeleted: () => void
}

/** The files of the user, with a search by name. */
export function Files({ uploads, onDeleted }: FilesProps) {
  const [search, setSearch] = useState('')
  const [toDelete, setToDelete] = useState<Upload>()
  const text = search.trim().toLowerCase()
  const found = uploads.filter(({ original }) => original.toLowerCase().includes(text))
  if (uploads.length === 0)
    return <p className="documents-quiet">No documents yet. Choose files to upload.</p>
  return (
    <>
      <div className="documents-find">
        <label htmlFor="documents-text">Find by name</label>
        <input
          id="documents-text"
          className="input"
          type="search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      <p className="documents-quiet" role="status">
        {found.length === uploads.length
          ? `${uploads.length} ${uploads.length === 1 ? 'file' : 'files'}`
          : `${found.length} of ${uploads.length} files`}
        {uploads.length >= maxListedUploads && '; older files are not listed'}
      </p>
      <ul className="documents-list" aria-label="Files">
        {found.map((upload) => (
          <FileItem key={upload.name} upload={upload} askToDelete={() => setToDelete(upload)} />
        ))}
      </ul>
      {toDelete && (
        <ConfirmDeletion
          key={toDelete.name}
          upload={toDelete}
          close={() => setToDelete(undefined)}
          onDeleted={() => {
            setToDelete(undefined)
            onDeleted()
          }}
        />
      )}
    </>
  )
}

function FileItem({ upload, askToDelete }: { upload: Upload; askToDelete: () => void }) {
  const { name, original, size, created } = upload
  return (
    <li>
      <a href={`/uploads/${name}`} target="_blank" rel="noreferrer">
        {original}
      </a>
      <span className="documents-quiet">
        {formatBytes(size)}, {new Date(created).toLocaleDateString('en-GB')}
      </span>
      <button
        type="button"
        className="plain"
        aria-label={`Delete ${original}`}
        onClick={askToDelete}
      >
        Delete
      </button>
    </li>
  )
}

interface ConfirmDeletionProps {
  readonly upload: Upload
  readonly close: () => void
  readonly onDeleted: () => void
}

function ConfirmDeletion({ upload, close, onDeleted }: ConfirmDeletionProps) {
  const [error, setError] = useState<Error>()
  const showModal = useRef((dialog: HTMLDialogElement | null) => {
    if (dialog && !dialog.open) dialog.showModal()
  })
  return (
    <dialog
      ref={showModal.current}
      className="documents-confirm"
      aria-labelledby="documents-sure"
      onClose={close}
    >
      <h3 id="documents-sure">Delete “{upload.original}”?</h3>
      <p>The file is deleted permanently, and its URL stops working.</p>
      {error && <ErrorMessage error={error} />}
      <div>
        <button type="button" className="button quiet" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          className="button"
          onClick={() => void deleteUpload(upload).then(onDeleted, setError)}
        >
          Delete
        </button>
      </div>
    </dialog>
  )
}
