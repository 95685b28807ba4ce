import { Field, FormError, useForm } from '@weft/react/form'
import { useState } from 'react'
import { account } from './own.ts'

/** Asks for a link to choose a new password with. Whether anybody has the e-mail, nobody is told. */
export function Forgotten() {
  const [said, setSaid] = useState('')
  const form = useForm({
    fields: { email: { name: 'e-mail', required: true, dataType: 'email' } },
    submit: async ({ email }) => setSaid(await account.forgotPassword(email.trim())),
  })
  if (form.status === 'submitted')
    return (
      <div role="status">
        <p>
          <b>{sentence(said)}</b>
        </p>
        <p>It is good for an hour. Look among what was taken for spam, too.</p>
        <p className="actions">
          <button type="button" className="button quiet" onClick={form.reset}>
            Another address
          </button>
        </p>
      </div>
    )
  return (
    <form className="fields" {...form.props}>
      <Field
        form={form}
        name="email"
        label="E-mail"
        hint="A link for choosing a new password goes there."
        type="email"
        autoComplete="username"
      />
      <FormError form={form} />
      <p className="actions">
        <button className="button" type="submit" disabled={form.status === 'submitting'}>
          Send the link
        </button>
      </p>
    </form>
  )
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
