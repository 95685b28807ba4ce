import { Field, FormError, useForm } from '@weft/react/form'
import { BusyButton } from '../shared/busy-button.tsx'
import { account } from './client.ts'
import { PasswordField } from './password-field.tsx'

/** The form that signs in with an e-mail address and a password. */
export function SignIn({ forgotPasswordUrl }: { forgotPasswordUrl: string }) {
  const form = useForm({
    fields: {
      email: { name: 'e-mail', required: true, dataType: 'email' },
      password: { required: true },
    },
    submit: ({ email, password }) => account.signIn(email.trim(), password),
  })
  return (
    <form className="fields" {...form.props}>
      <Field form={form} name="email" label="E-mail" type="email" autoComplete="username" />
      <PasswordField form={form} name="password" label="Password" kind="current">
        <a href={forgotPasswordUrl}>Forgot password?</a>
      </PasswordField>
      <FormError form={form} />
      <p className="actions">
        <BusyButton className="button" type="submit" isBusy={form.status === 'submitting'}>
          {form.status === 'submitting' ? 'Signing in…' : 'Sign in'}
        </BusyButton>
      </p>
    </form>
  )
}
