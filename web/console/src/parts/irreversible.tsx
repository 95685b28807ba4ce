import { type FormEvent, type ReactNode, useState } from 'react'
import { errorText } from '../model/request.ts'
import { BusyButton } from './busy-button.tsx'
import { Dialog } from './dialog.tsx'

/** A dialog that asks the user to type a name before an action that cannot be undone. */
export function Irreversible({
  title,
  name,
  button,
  isOpen,
  close,
  run,
  children,
}: {
  readonly title: string
  /** The text that the user must type. */
  readonly name: string
  readonly button: string
  readonly isOpen: boolean
  readonly close: () => void
  /** Runs the action. The dialog shows a rejection and stays open. */
  readonly run: () => Promise<void>
  readonly children: ReactNode
}) {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState('')
  const [isWorking, setWorking] = useState(false)
  const end = () => {
    setTyped('')
    setProblem('')
    close()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (typed !== name) {
      setProblem(`Type ${name} to continue.`)
      return
    }
    setWorking(true)
    try {
      await run()
      end()
    } catch (error) {
      setProblem(errorText(error))
    }
    setWorking(false)
  }
  return (
    <Dialog title={title} isOpen={isOpen} close={end} className="narrow">
      <form className="form" onSubmit={submit}>
        <p>{children} This cannot be undone.</p>
        <label className="field">
          <span>Type {name} to continue</span>
          <input
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <p className="problem" role="alert">
          {problem}
        </p>
        <p className="acts">
          <BusyButton type="submit" className="button danger" isBusy={isWorking}>
            {button}
          </BusyButton>
          <button type="button" className="button quiet" onClick={end}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  )
}
