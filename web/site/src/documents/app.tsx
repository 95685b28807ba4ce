import { type ChangeEvent, type DragEvent, useEffect, useRef, useState } from 'react'
import { signInFor } from '../account/next.ts'
import { useProfile } from '../account/own.ts'
import { Failure } from '../failure.tsx'
import { useAsked } from '../use-asked.ts'
import { Files } from './files.tsx'
import { type Limits, limitsOfServer, ownUploads } from './own.ts'
import { size } from './size.ts'
import { useSendings } from './use-sendings.ts'
import './documents.css'

/** The visitor's own files: upload, find, open, remove. */
export function DocumentBox() {
  const profile = useProfile()
  const limits = useAsked('limits', limitsOfServer)
  return (
    <section className="documents-app" aria-label="Your documents">
      <h2>Your documents</h2>
      {limits.status === 'error' && <Failure error={limits.error} retry={limits.retry} />}
      {limits.status === 'loading' && <p className="documents-quiet">Please Wait...</p>}
      {limits.status === 'ready' && profile === undefined && <SignIn />}
      {limits.status === 'ready' && profile !== undefined && (
        <Box key={profile.email} limits={limits.data} />
      )}
    </section>
  )
}

function SignIn() {
  return (
    <div className="documents-sign-in">
      <p>Documents belong to somebody: sign in, and yours are here.</p>
      <a className="button" href={signInFor(location.pathname)}>
        Sign in
      </a>
    </div>
  )
}

function Box({ limits }: { limits: Limits }) {
  const [round, setRound] = useState(0)
  const again = () => setRound((last) => last + 1)
  const uploads = useAsked(`uploads ${round}`, ownUploads)
  const { sendings, take } = useSendings(again)
  const known = useLast(uploads.status === 'ready' ? uploads.data : undefined)
  usePaste(take)
  return (
    <>
      <Drop take={take} limits={limits} />
      <ul className="documents-sending" aria-label="On their way" aria-live="polite">
        {sendings.map(({ key, file, state, progress, message, cancel }) => (
          <li key={key} data-state={state}>
            <span className="documents-name">{file.name}</span>
            {state === 'sending' ? (
              <progress aria-label={`Sending ${file.name}`} value={progress} />
            ) : (
              <span role="alert">{message}</span>
            )}
            <button type="button" className="plain" onClick={cancel}>
              {state === 'sending' ? 'Cancel' : 'Close'}
            </button>
          </li>
        ))}
      </ul>
      {uploads.status === 'error' && <Failure error={uploads.error} retry={uploads.retry} />}
      {known === undefined && uploads.status === 'loading' && (
        <p className="documents-quiet">Please Wait...</p>
      )}
      {known && <Files uploads={known} removed={again} />}
    </>
  )
}

/** The last answer stands until the next one comes. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value)
  useEffect(() => {
    if (value !== undefined) setLast(value)
  }, [value])
  return value ?? last
}

interface DropProps {
  readonly take: (files: Iterable<File>) => void
  readonly limits: Limits
}

function Drop({ take, limits }: DropProps) {
  const [over, setOver] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files)
  }
  const chosen = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    take(currentTarget.files ?? [])
    currentTarget.value = ''
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same
    <div
      className="documents-drop"
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        ref={field}
        id="documents-files"
        className="unseen"
        type="file"
        multiple
        accept={[...limits.fileTypes, ...limits.imageTypes, '.md'].join()}
        onChange={chosen}
      />
      <label className="button" htmlFor="documents-files">
        Choose files
      </label>
      <p>
        or drop or paste them here. PDF, text, Markdown, doc, xls and ppt up to{' '}
        {size(limits.maxFileSize)}; JPEG, PNG and WebP up to {size(limits.maxImageSize)}.
      </p>
    </div>
  )
}

function usePaste(take: (files: Iterable<File>) => void): void {
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent) => {
      if (clipboardData && clipboardData.files.length > 0) take(clipboardData.files)
    }
    document.addEventListener('paste', paste)
    return () => document.removeEventListener('paste', paste)
  })
}
