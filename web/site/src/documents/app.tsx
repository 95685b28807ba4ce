import { type ChangeEvent, type DragEvent, useEffect, useRef, useState } from 'react'
import { useProfile } from '../account/client.ts'
import { signInUrl } from '../account/sign-in-redirect.ts'
import { ErrorMessage } from '../error-message.tsx'
import { useRequest } from '../use-request.ts'
import { Files } from './files.tsx'
import { formatBytes } from './format-bytes.ts'
import { fetchUploadLimits, listUploads, type UploadLimits } from './uploads.ts'
import { useUploads } from './use-uploads.ts'
import './documents.css'

/** The files of the signed-in user: upload, search, open and delete. */
export function DocumentBox() {
  const profile = useProfile()
  const limits = useRequest('limits', fetchUploadLimits)
  return (
    <section className="documents-app" aria-label="Your documents">
      <h2>Your documents</h2>
      {limits.status === 'error' && <ErrorMessage error={limits.error} retry={limits.retry} />}
      {limits.status === 'loading' && <p className="documents-quiet">Loading…</p>}
      {limits.status === 'ready' && profile === undefined && <SignInPrompt />}
      {limits.status === 'ready' && profile !== undefined && (
        <UserDocuments key={profile.email} limits={limits.data} />
      )}
    </section>
  )
}

function SignInPrompt() {
  return (
    <div className="documents-sign-in">
      <p>Sign in to see and upload your documents.</p>
      <a className="button" href={signInUrl(location.pathname)}>
        Sign in
      </a>
    </div>
  )
}

function UserDocuments({ limits }: { limits: UploadLimits }) {
  const [revision, setRevision] = useState(0)
  const reload = () => setRevision((last) => last + 1)
  const uploads = useRequest(`uploads ${revision}`, listUploads)
  const { pending, addFiles } = useUploads(reload)
  const shownUploads = useLastDefined(uploads.status === 'ready' ? uploads.data : undefined)
  usePastedFiles(addFiles)
  return (
    <>
      <DropZone addFiles={addFiles} limits={limits} />
      <ul className="documents-sending" aria-label="Uploads in progress" aria-live="polite">
        {pending.map(({ key, file, state, progress, message, cancel }) => (
          <li key={key} data-state={state}>
            <span className="documents-name">{file.name}</span>
            {state === 'uploading' ? (
              <progress aria-label={`Uploading ${file.name}`} value={progress} />
            ) : (
              <span role="alert">{message}</span>
            )}
            <button type="button" className="plain" onClick={cancel}>
              {state === 'uploading' ? 'Cancel' : 'Dismiss'}
            </button>
          </li>
        ))}
      </ul>
      {uploads.status === 'error' && <ErrorMessage error={uploads.error} retry={uploads.retry} />}
      {shownUploads === undefined && uploads.status === 'loading' && (
        <p className="documents-quiet">Loading…</p>
      )}
      {shownUploads && <Files uploads={shownUploads} onDeleted={reload} />}
    </>
  )
}

/** Returns the last defined value, so that the list stays visible while it is reloaded. */
function useLastDefined<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value)
  useEffect(() => {
    if (value !== undefined) setLast(value)
  }, [value])
  return value ?? last
}

interface DropZoneProps {
  readonly addFiles: (files: Iterable<File>) => void
  readonly limits: UploadLimits
}

function DropZone({ addFiles, limits }: DropZoneProps) {
  const [isDragOver, setDragOver] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setDragOver(false)
    addFiles(event.dataTransfer.files)
  }
  const addChosen = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    addFiles(currentTarget.files ?? [])
    currentTarget.value = ''
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same
    <div
      className="documents-drop"
      data-over={isDragOver}
      onDragOver={(event) => {
        event.preventDefault()
        setDragOver(true)
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={drop}
    >
      <input
        ref={field}
        id="documents-files"
        className="unseen"
        type="file"
        multiple
        accept={[...limits.fileTypes, ...limits.imageTypes, '.md', '.csv'].join()}
        onChange={addChosen}
      />
      <label className="button" htmlFor="documents-files">
        Choose files
      </label>
      <p>
        You can also drop or paste files here. PDF, Office, text, Markdown, CSV and ZIP files can
        have up to {formatBytes(limits.maxFileSize)}; JPEG, PNG and WebP images up to{' '}
        {formatBytes(limits.maxImageSize)}.
      </p>
    </div>
  )
}

function usePastedFiles(addFiles: (files: Iterable<File>) => void): void {
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent) => {
      if (clipboardData && clipboardData.files.length > 0) addFiles(clipboardData.files)
    }
    document.addEventListener('paste', paste)
    return () => document.removeEventListener('paste', paste)
  })
}
