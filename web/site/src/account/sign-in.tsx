import { Field, FormError, useForm } from '@weft/react/form'
import { account } from './own.ts'
import { Password } from './password.tsx'

export function SignIn({ forgotten }: { forgotten: string }) {
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
      <Password form={form} name="password" label="Password" is="current">
        <a href={forgotten}>Forgotten?</a>
      </Password>
      <FormError form={form} />
      <p className="actions">
        <button className="button" type="submit" disabled={form.status === 'submitting'}>
          {form.status === 'submitting' ? 'Signing in…' : 'Sign in'}
        </button>
      </p>
    </form>
  )
}
