import { WeftError } from '@weft/client'
import { FormError, useForm } from '@weft/react/form'
import { BusyButton } from '../shared/busy-button.tsx'
import { account } from './client.ts'
import { minPasswordLength, PasswordField } from './password-field.tsx'

/** The form that changes the password. Other sessions are signed out. */
export function ChangePassword({ email }: { email: string }) {
  const form = useForm({
    fields: {
      old: { name: 'password', required: true },
      next: { name: 'new password', required: true, minLength: minPasswordLength },
    },
    submit: ({ old, next }) => account.changePassword(old, next),
    fieldErrors: (error) =>
      error instanceof WeftError && error.kind !== 'unavailable'
        ? { old: error.message }
        : undefined,
  })
  return (
    <form className="fields" {...form.props}>
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <PasswordField form={form} name="old" label="Current password" kind="current" />
      <PasswordField form={form} name="next" label="New password" kind="new" />
      <FormError form={form} />
      <p role="status">
        {form.status === 'submitted' &&
          'Your password has been changed. Other sessions have been signed out.'}
      </p>
      <p className="actions">
        <BusyButton className="button" type="submit" isBusy={form.status === 'submitting'}>
          Change password
        </BusyButton>
      </p>
    </form>
  )
}
