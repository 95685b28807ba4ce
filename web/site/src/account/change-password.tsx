import { WeftError } from '@weft/client'
import { FormError, useForm } from '@weft/react/form'
import { account } from './own.ts'
import { least, Password } from './password.tsx'

export function ChangePassword({ email }: { email: string }) {
  const form = useForm({
    fields: {
      old: { name: 'password', required: true },
      next: { name: 'new password', required: true, minLength: least },
    },
    submit: ({ old, next }) => account.changePassword(old, next),
    refused: (error) =>
      error instanceof WeftError && error.kind !== 'unavailable'
        ? { old: error.message }
        : undefined,
  })
  return (
    <form className="fields" {...form.props}>
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <Password form={form} name="old" label="The one you have" is="current" />
      <Password form={form} name="next" label="The new one" is="new" />
      <FormError form={form} />
      <p role="status">
        {form.status === 'submitted' && 'The password is new, and other sessions have ended.'}
      </p>
      <p className="actions">
        <button className="button" type="submit" disabled={form.status === 'submitting'}>
          Change the password
        </button>
      </p>
    </form>
  )
}
