import type { Form } from '@weft/react/form'
import { type KeyboardEvent, type ReactNode, useState } from 'react'

interface PasswordProps<N extends string> {
  readonly form: Form<N>
  readonly name: N
  readonly label: string
  /** Whether somebody chooses it here or gives the one they have. */
  readonly is: 'new' | 'current'
  readonly children?: ReactNode
}

/** A password: it can be shown, says when it is typed in capitals and, when it is new, how good it is. */
export function Password<N extends string>({ form, name, label, is, children }: PasswordProps<N>) {
  const [shown, show] = useState(false)
  const [capitals, setCapitals] = useState(false)
  const { 'aria-describedby': errorId, ...control } = form.field(name)
  const errors = form.errors[name] ?? []
  const hintId = `${control.id}-hint`
  const listen = (event: KeyboardEvent) => setCapitals(event.getModifierState('CapsLock'))
  return (
    <div className="field">
      <label htmlFor={control.id}>{label}</label>
      <div className="password">
        <input
          {...control}
          type={shown ? 'text' : 'password'}
          autoComplete={`${is}-password`}
          autoCapitalize="none"
          spellCheck={false}
          className={errors.length > 0 ? 'input invalid' : 'input'}
          aria-describedby={`${hintId} ${errorId}`}
          onKeyUp={listen}
          onKeyDown={listen}
        />
        <button
          type="button"
          aria-pressed={shown}
          aria-controls={control.id}
          onClick={() => show(!shown)}
        >
          {shown ? 'Hide' : 'Show'}
          <span className="unseen"> the password</span>
        </button>
      </div>
      <p className="hint" id={hintId} aria-live="polite">
        {is === 'new' && strength(control.value)}
        {capitals && ' Caps Lock is on.'}
        {children}
      </p>
      <div className="error-container" id={errorId} aria-live="polite">
        {errors.join(' ')}
      </div>
    </div>
  )
}

/** Length is what makes a password hard to guess; different signs make the length count. */
function strength(password: string): string {
  const different = new Set(password).size
  if (password.length < least) return `At least ${least} characters; a short sentence is better.`
  if (password.length < 10 || different < 6) return 'Good enough to begin with; longer is better.'
  if (password.length < 16 || different < 9) return 'Good.'
  return 'Very good.'
}

/** The fewest characters the server takes. */
export const least = 6
