import { WeftError } from '@weft/client'
import { Field, FormError, useForm } from '@weft/react/form'
import { BusyButton } from '../shared/busy-button.tsx'
import { account } from './client.ts'
import { minPasswordLength, PasswordField } from './password-field.tsx'

/** Creates an account and signs in. */
export function SignUp() {
  const form = useForm({
    fields: {
      name: { maxLength: 200 },
      email: { name: 'e-mail', required: true, dataType: 'email', maxLength: 254 },
      password: { required: true, minLength: minPasswordLength },
    },
    submit: async ({ name, email, password }) => {
      const credentials = { email: email.trim(), password }
      const [first = '', ...rest] = name.trim().split(/\s+/)
      if (first === '') await account.signUp(credentials.email, password)
      else await account.signUpEntity({ ...credentials, fname: first, lname: rest.join(' ') })
      await account.signIn(credentials.email, password)
    },
    fieldErrors: (error) => fieldErrorsOf(error),
  })
  return (
    <form className="fields" {...form.props}>
      <Field
        form={form}
        name="name"
        label="Your name"
        hint="Optional. Admins of this server can see it."
        autoComplete="name"
      />
      <Field form={form} name="email" label="E-mail" type="email" autoComplete="username" />
      <PasswordField form={form} name="password" label="Password" kind="new" />
      <FormError form={form} />
      <p className="actions">
        <BusyButton className="button" type="submit" isBusy={form.status === 'submitting'}>
          {form.status === 'submitting' ? 'Creating account…' : 'Create account'}
        </BusyButton>
      </p>
    </form>
  )
}

/** Assigns an error of the server to the field that caused it. */
function fieldErrorsOf(error: Error): { email?: string; password?: string } | undefined {
  if (!(error instanceof WeftError)) return undefined
  if (error.kind === 'conflict') return { email: error.message }
  if (error.kind === 'invalid' && /password/i.test(error.message))
    return { password: error.message }
  return error.kind === 'invalid' && /mail/i.test(error.message)
    ? { email: error.message }
    : undefined
}
