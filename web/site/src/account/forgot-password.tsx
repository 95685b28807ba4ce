import { Field, FormError, useForm } from '@weft/react/form'
import { useState } from 'react'
import { BusyButton } from '../shared/busy-button.tsx'
import { account } from './client.ts'

/** Requests a password reset link. The response does not reveal whether an account exists. */
export function ForgotPassword() {
  const [message, setMessage] = useState('')
  const form = useForm({
    fields: { email: { name: 'e-mail', required: true, dataType: 'email' } },
    submit: async ({ email }) => setMessage(await account.forgotPassword(email.trim())),
  })
  if (form.status === 'submitted')
    return (
      <div role="status">
        <p>
          <b>{asSentence(message)}</b>
        </p>
        <p>The link is valid for one hour. If you do not see the e-mail, check your spam folder.</p>
        <p className="actions">
          <button type="button" className="button quiet" onClick={form.reset}>
            Use another address
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
        hint="We will send you a link for choosing a new password."
        type="email"
        autoComplete="username"
      />
      <FormError form={form} />
      <p className="actions">
        <BusyButton className="button" type="submit" isBusy={form.status === 'submitting'}>
          Send link
        </BusyButton>
      </p>
    </form>
  )
}

const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
