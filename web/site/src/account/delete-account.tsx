import { useId, useRef, useState } from 'react'
import { account } from './client.ts'

/** Deletes the account. The user confirms by typing the e-mail address. */
export function DeleteAccount({ email }: { email: string }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  return (
    <section aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Delete account</h2>
      <p>
        Deleting your account also deletes everything that only you could read. This cannot be
        undone.
      </p>
      <p className="actions">
        <button type="button" className="button quiet" onClick={() => dialog.current?.showModal()}>
          Delete account
        </button>
      </p>
      <dialog ref={dialog} className="ending" aria-labelledby={`${id}-confirm`}>
        <ConfirmForm id={id} email={email} close={() => dialog.current?.close()} />
      </dialog>
    </section>
  )
}

function ConfirmForm({ id, email, close }: { id: string; email: string; close: () => void }) {
  const [typed, setTyped] = useState('')
  const [error, setError] = useState('')
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault()
        account.deleteAccount().catch((error) => setError(String(error.message)))
      }}
    >
      <h2 id={`${id}-confirm`}>Delete this account?</h2>
      <div className="field">
        <label htmlFor={`${id}-typed`}>Type {email} to confirm</label>
        <input
          id={`${id}-typed`}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      <p role="alert" className="error-container">
        {error}
      </p>
      <p className="actions">
        <button className="button" type="submit" disabled={typed.trim() !== email}>
          Delete permanently
        </button>{' '}
        <button type="button" className="button quiet" onClick={close}>
          Cancel
        </button>
      </p>
    </form>
  )
}
