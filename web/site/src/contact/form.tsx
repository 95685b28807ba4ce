import { Field, FormError, useForm } from '@weft/react/form'
import { useEffect, useRef, useState } from 'react'
import { useOnline } from '../use-online.ts'
import { forgetDraft, keepDraft, storedDraft } from './draft.ts'
import { send } from './send.ts'

const topics = new Map([
  ['question', 'A question'],
  ['fault', 'Something broke'],
  ['wish', 'Something is missing'],
  ['consolidation', 'Data consolidation'],
  ['consulting', 'Consulting'],
  ['security', 'A security matter'],
  ['other', 'Something else'],
])

/** Writes to the operator of the site. What was begun stays in this tab until it is sent. */
export function ContactForm() {
  const [letter, setLetter] = useState(1)
  return <Letter key={letter} another={() => setLetter(letter + 1)} />
}

function Letter({ another }: { another: () => void }) {
  const online = useOnline()
  const form = useForm({
    fields: {
      name: { required: true, maxLength: 200 },
      email: { name: 'e-mail', required: true, dataType: 'email', maxLength: 200 },
      topic: {},
      message: { required: true, maxLength: 10_000 },
      website: {},
    },
    initial: { topic: 'question', ...storedDraft() },
    submit: async (values) => {
      await send(values)
      forgetDraft()
    },
  })
  const { status, values } = form
  useEffect(() => {
    if (status !== 'submitted') keepDraft(values)
  }, [status, values])
  if (status === 'submitted') return <Thanks email={values.email} again={another} />
  const busy = status === 'submitting'
  return (
    <form className="fields" {...form.props}>
      <Field form={form} name="name" label="Your name" autoComplete="name" />
      <Field
        form={form}
        name="email"
        label="E-mail address"
        hint="For the answer, and for nothing else."
        type="email"
        autoComplete="email"
      />
      <div className="field">
        <label htmlFor={form.field('topic').id}>What is it about?</label>
        <select {...form.field('topic')} aria-describedby={undefined}>
          {Array.from(topics, ([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <Field
        form={form}
        name="message"
        label="Message"
        hint="Up to 10,000 characters. No passwords and no data of other people, please."
        rows={8}
      />
      <div className="lure" aria-hidden="true">
        <label htmlFor={form.field('website').id}>Leave this empty</label>
        <input {...form.field('website')} type="text" tabIndex={-1} autoComplete="off" />
      </div>
      <FormError form={form} />
      <p role="status">
        {!online &&
          'There is no network. Nothing is sent until there is one; what you wrote stays here.'}
      </p>
      <p className="actions">
        <button className="button" type="submit" disabled={busy || !online}>
          {busy ? 'Sending…' : 'Send the message'}
        </button>
      </p>
    </form>
  )
}

function Thanks({ email, again }: { email: string; again: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div role="status" className="fields">
      <h2 ref={heading} tabIndex={-1}>
        It has arrived
      </h2>
      <p>
        The server keeps your message. The answer goes to <b>{email}</b>.
      </p>
      <p className="actions">
        <button type="button" className="button quiet" onClick={again}>
          Write another one
        </button>
      </p>
    </div>
  )
}
