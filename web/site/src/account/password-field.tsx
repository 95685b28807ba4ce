import type { Form } from '@weft/react/form'
import { type KeyboardEvent, type ReactNode, useState } from 'react'

interface PasswordFieldProps<N extends string> {
  readonly form: Form<N>
  readonly name: N
  readonly label: string
  /** `new` for choosing a password, `current` for entering the existing one. */
  readonly kind: 'new' | 'current'
  readonly children?: ReactNode
}

/** A password field that can show its text, warns about Caps Lock and rates new passwords. */
export function PasswordField<N extends string>({
  form,
  name,
  label,
  kind,
  children,
}: PasswordFieldProps<N>) {
  const [isVisible, setVisible] = useState(false)
  const [hasCapsLock, setCapsLock] = useState(false)
  const { 'aria-describedby': errorId, ...control } = form.field(name)
  const errors = form.errors[name] ?? []
  const hintId = `${control.id}-hint`
  const checkCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))
  return (
    <div className="field">
      <label htmlFor={control.id}>{label}</label>
      <div className="password">
        <input
          {...control}
          type={isVisible ? 'text' : 'password'}
          autoComplete={`${kind}-password`}
          autoCapitalize="none"
          spellCheck={false}
          className={errors.length > 0 ? 'input invalid' : 'input'}
          aria-describedby={`${hintId} ${errorId}`}
          onKeyUp={checkCapsLock}
          onKeyDown={checkCapsLock}
        />
        <button
          type="button"
          aria-pressed={isVisible}
          aria-controls={control.id}
          onClick={() => setVisible(!isVisible)}
        >
          {isVisible ? 'Hide' : 'Show'}
          <span className="unseen"> the password</span>
        </button>
      </div>
      <p className="hint" id={hintId} aria-live="polite">
        {kind === 'new' && ratePassword(control.value)}
        {hasCapsLock && ' Caps Lock is on.'}
        {children}
      </p>
      <div className="error-container" id={errorId} aria-live="polite">
        {errors.join(' ')}
      </div>
    </div>
  )
}

/** Rates a password by its length and its number of different characters. */
function ratePassword(password: string): string {
  const distinctCharacters = new Set(password).size
  if (password.length < minPasswordLength)
    return `At least ${minPasswordLength} characters. A short sentence works well.`
  if (password.length < 10 || distinctCharacters < 6)
    return 'Acceptable. A longer password is better.'
  if (password.length < 16 || distinctCharacters < 9) return 'Good.'
  return 'Strong.'
}

/** The minimum length that the server accepts. */
export const minPasswordLength = 6
