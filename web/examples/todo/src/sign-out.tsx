import { useSyncStatus } from '@weft/react'
import { useRef } from 'react'
import { account } from './weft.ts'
import { changes } from './words.ts'

/** Signs out, and asks before that while something has not reached the server. */
export function SignOut() {
  const waiting = useSyncStatus((sync) => sync.pending + sync.failed.length)
  const question = useRef<HTMLDialogElement>(null)
  return (
    <>
      <button
        type="button"
        onClick={() => (waiting > 0 ? question.current?.showModal() : void account.signOut())}
      >
        Sign out
      </button>
      <dialog ref={question} aria-labelledby="question">
        <h2 id="question">Sign out all the same?</h2>
        <p>
          {changes(waiting)} not reached the server. What waits is sent when you sign in again on
          this browser. Until then nobody sees it.
        </p>
        <form method="dialog">
          <button type="submit" className="strong">
            Stay
          </button>
          <button type="button" onClick={() => void account.signOut()}>
            Sign out
          </button>
        </form>
      </dialog>
    </>
  )
}
