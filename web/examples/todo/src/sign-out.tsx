import { useSyncStatus } from '@weft/react'
import { useRef } from 'react'
import { countChanges } from './count-changes.ts'
import { account } from './weft.ts'

/** Renders a button that signs the user out. If there are unsent or refused changes, a dialog asks for confirmation. */
export function SignOut() {
  const unsentCount = useSyncStatus((sync) => sync.pending + sync.failed.length)
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <>
      <button
        type="button"
        onClick={() => (unsentCount > 0 ? dialog.current?.showModal() : void account.signOut())}
      >
        Sign out
      </button>
      <dialog ref={dialog} aria-labelledby="sign-out-title">
        <h2 id="sign-out-title">Sign out with unsent changes?</h2>
        <p>
          {countChanges(unsentCount)} not been saved on the server. They stay in this browser,
          hidden from other users. Unsent changes are sent when you sign in here again.
        </p>
        <form method="dialog">
          <button type="submit" className="strong">
            Stay signed in
          </button>
          <button type="button" onClick={() => void account.signOut()}>
            Sign out
          </button>
        </form>
      </dialog>
    </>
  )
}
