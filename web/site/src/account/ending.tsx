import { useId, useRef, useState } from 'react'
import { account } from './own.ts'

/** Ends the account for good, once its e-mail was typed as a sign that this is meant. */
export function Ending({ email }: { email: string }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [error, setError] = useState('')
  const id = useId()
  const end = () => account.remove().catch((error) => setError(String(error.message)))
  return (
    <section aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>The way out</h2>
      <p>
        The account and everything that only you could read are erased. Nothing brings them back.
      </p>
      <p className="actions">
        <button type="button" className="button quiet" onClick={() => dialog.current?.showModal()}>
          Delete the account
        </button>
      </p>
      <dialog ref={dialog} className="ending" aria-labelledby={`${id}-sure`}>
        <form
          className="fields"
          onSubmit={(event) => {
            event.preventDefault()
            void end()
          }}
        >
          <h2 id={`${id}-sure`}>Delete this account?</h2>
          <div className="field">
            <label htmlFor={`${id}-typed`}>Type {email} to say that you mean it</label>
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
              Delete it for good
            </button>{' '}
            <button type="button" className="button quiet" onClick={() => dialog.current?.close()}>
              Keep it
            </button>
          </p>
        </form>
      </dialog>
    </section>
  )
}
