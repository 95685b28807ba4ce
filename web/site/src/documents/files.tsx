import { useRef, useState } from 'react'
import { Failure } from '../failure.tsx'
import { most, removeUpload, type Upload } from './own.ts'
import { size } from './size.ts'

interface FilesProps {
  readonly uploads: readonly Upload[]
  readonly removed: () => void
}

/** One's files: found by name, opened and removed. */
export function Files({ uploads, removed }: FilesProps) {
  const [text, setText] = useState('')
  const [asked, ask] = useState<Upload>()
  const wanted = text.trim().toLowerCase()
  const found = uploads.filter(({ original }) => original.toLowerCase().includes(wanted))
  if (uploads.length === 0)
    return <p className="documents-quiet">Nothing here yet. The first file you send will be.</p>
  return (
    <>
      <div className="documents-find">
        <label htmlFor="documents-text">Find by name</label>
        <input
          id="documents-text"
          className="input"
          type="search"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <p className="documents-quiet" role="status">
        {found.length === uploads.length
          ? `${uploads.length} ${uploads.length === 1 ? 'file' : 'files'}`
          : `${found.length} of ${uploads.length} files`}
        {uploads.length >= most && '; older ones are not listed'}
      </p>
      <ul className="documents-list" aria-label="Files">
        {found.map((upload) => (
          <li key={upload.name}>
            <a href={`/uploads/${upload.name}`} target="_blank" rel="noreferrer">
              {upload.original}
            </a>
            <span className="documents-quiet">
              {size(upload.size)}, {new Date(upload.created).toLocaleDateString('en-GB')}
            </span>
            <button
              type="button"
              className="plain"
              aria-label={`Remove ${upload.original}`}
              onClick={() => ask(upload)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      {asked && (
        <Confirm
          key={asked.name}
          upload={asked}
          close={() => ask(undefined)}
          removed={() => {
            ask(undefined)
            removed()
          }}
        />
      )}
    </>
  )
}

interface ConfirmProps {
  readonly upload: Upload
  readonly close: () => void
  readonly removed: () => void
}

function Confirm({ upload, close, removed }: ConfirmProps) {
  const [error, setError] = useState<Error>()
  const open = useRef((dialog: HTMLDialogElement | null) => {
    if (dialog && !dialog.open) dialog.showModal()
  })
  const remove = () => removeUpload(upload).then(removed, setError)
  return (
    <dialog
      ref={open.current}
      className="documents-confirm"
      aria-labelledby="documents-sure"
      onClose={close}
    >
      <h3 id="documents-sure">Remove “{upload.original}”?</h3>
      <p>It is gone for good, and its address leads nowhere.</p>
      {error && <Failure error={error} />}
      <div>
        <button type="button" className="button quiet" onClick={close}>
          Keep it
        </button>
        <button type="button" className="button" onClick={() => void remove()}>
          Remove
        </button>
      </div>
    </dialog>
  )
}
