import { Fragment, type InputHTMLAttributes, type ReactNode } from 'react'
import type { Form } from './use-form.ts'

export interface FieldProps<N extends string> extends ControlAttributes {
  readonly form: Form<N>
  readonly name: N
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** Makes it a text of several lines, that many to begin with. */
  readonly rows?: number | undefined
}

type ControlAttributes = Pick<
  InputHTMLAttributes<HTMLElement>,
  | 'autoCapitalize'
  | 'autoComplete'
  | 'autoFocus'
  | 'disabled'
  | 'inputMode'
  | 'placeholder'
  | 'readOnly'
  | 'spellCheck'
  | 'type'
>

/** A field of a form with its label, a hint, and what is wrong with it. The rest goes to the control. */
export function Field<N extends string>(props: FieldProps<N>) {
  const { form, name, label, hint, rows, type, ...rest } = props
  const { 'aria-describedby': errorId, ...control } = form.field(name)
  const hintId = hint === undefined ? undefined : `${control.id}-hint`
  const errors = form.errors[name] ?? []
  const all = {
    ...rest,
    ...control,
    'aria-describedby': hintId === undefined ? errorId : `${hintId} ${errorId}`,
    className: errors.length > 0 ? 'invalid' : undefined,
  }
  return (
    <div className="field">
      <label htmlFor={control.id}>{label}</label>
      {hintId && (
        <p className="hint" id={hintId}>
          {hint}
        </p>
      )}
      {rows === undefined ? <input {...all} type={type} /> : <textarea {...all} rows={rows} />}
      <div className="error-container" id={errorId} aria-live="polite">
        {form.checking.has(name) && <span className="hint">Checking…</span>}
        <Lines of={errors} />
      </div>
    </div>
  )
}

function Lines({ of: lines }: { of: readonly string[] }) {
  return lines.map((line, i) => (
    <Fragment key={line}>
      {i > 0 && <br />}
      {line}
    </Fragment>
  ))
}

/** Why a form failed when no field is to blame, said at once to those who listen. */
export function FormError<N extends string>({ form }: { form: Form<N> }) {
  return (
    <div role="alert">{form.error && <p className="error-container">{form.error.message}</p>}</div>
  )
}
