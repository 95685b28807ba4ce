import { WeftError } from '@weft/client'
import { Field, FormError, useForm } from '@weft/react/form'
import { account } from './own.ts'
import { least, Password } from './password.tsx'

/** Makes an account and signs in to it. */
export function SignUp() {
  const form = useForm({
    fields: {
      name: { maxLength: 200 },
      email: { name: 'e-mail', required: true, dataType: 'email', maxLength: 254 },
      password: { required: true, minLength: least },
    },
    submit: async ({ name, email, password }) => {
      const person = { email: email.trim(), password }
      const [first = '', ...rest] = name.trim().split(/\s+/)
      if (first === '') await account.signUp(person.email, password)
      else await account.signUpEntity({ ...person, fname: first, lname: rest.join(' ') })
      await account.signIn(person.email, password)
    },
    refused: (error) => blame(error),
  })
  return (
    <form className="fields" {...form.props}>
      <Field
        form={form}
        name="name"
        label="Your name"
        hint="If you like; admins of this server see it."
        autoComplete="name"
      />
      <Field form={form} name="email" label="E-mail" type="email" autoComplete="username" />
      <Password form={form} name="password" label="Password" is="new" />
      <FormError form={form} />
      <p className="actions">
        <button className="button" type="submit" disabled={form.status === 'submitting'}>
          {form.status === 'submitting' ? 'Making it…' : 'Make the account'}
        </button>
      </p>
    </form>
  )
}

/** The server's words, at the field they are about. */
function blame(error: Error): { email?: string; password?: string } | undefined {
  if (!(error instanceof WeftError)) return undefined
  if (error.kind === 'conflict') return { email: error.message }
  if (error.kind === 'invalid' && /password/i.test(error.message))
    return { password: error.message }
  return error.kind === 'invalid' && /mail/i.test(error.message)
    ? { email: error.message }
    : undefined
}
