import { Fragment, type InputHTMLAttributes, type ReactNode } from 'react'
import type { Form } from './use-form.ts'

export interface FieldProps<N extends string> extends ControlAttributes {
  readonly form: Form<N>
  readonly name: N
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** Renders a textarea with this many rows instead of an input. */
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

/** Renders a field of a form with its label, hint and errors. All other props go to the control. */
export function Field<N extends string>(props: FieldProps<N>) {
  const { form, name, label, hint, rows, type, ...rest } = props
  const { 'aria-describedby': errorId, ...control } = form.field(name)
  const hintId = hint === undefined ? undefined : `${control.id}-hint`
  const errors = form.errors[name] ?? []
  const controlProps = {
    ...rest,
    ...control,
    'aria-describedby': hintId === undefined ? errorId : `${hintId} ${errorId}`,
    className: errors.length > 0 ? 'invalid' : form.valid.has(name) ? 'valid' : undefined,
  }
  return (
    <div className="field">
      <label htmlFor={control.id}>{label}</label>
      {hintId && (
        <p className="hint" id={hintId}>
          {hint}
        </p>
      )}
      {rows === undefined ? (
        <input {...controlProps} type={type} />
      ) : (
        <textarea {...controlProps} rows={rows} />
      )}
      <div className="error-container" id={errorId} aria-live="polite">
        {form.checking.has(name) && <span className="hint">Checking…</span>}
        <Lines lines={errors} />
      </div>
    </div>
  )
}

function Lines({ lines }: { lines: readonly string[] }) {
  return lines.map((line, i) => (
    <Fragment key={line}>
      {i > 0 && <br />}
      {line}
    </Fragment>
  ))
}

/** Renders the error of the form as a whole, and announces it to screen readers. */
export function FormError<N extends string>({ form }: { form: Form<N> }) {
  return (
    <div role="alert">{form.error && <p className="error-container">{form.error.message}</p>}</div>
  )
}
