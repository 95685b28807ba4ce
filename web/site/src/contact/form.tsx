import { Field, FormError, useForm } from '@weft/react/form'
import { useEffect, useRef, useState } from 'react'
import { BusyButton } from '../shared/busy-button.tsx'
import { useOnline } from '../use-online.ts'
import { clearDraft, loadDraft, saveDraft } from './draft.ts'
import { sendMessage } from './send-message.ts'

const topics = new Map([
  ['question', 'Question'],
  ['fault', 'Bug report'],
  ['wish', 'Feature request'],
  ['consolidation', 'Data consolidation'],
  ['consulting', 'Consulting'],
  ['security', 'Security issue'],
  ['other', 'Other'],
])

/** The contact form. Unsent text stays in the tab until the message is sent. */
export function ContactForm() {
  const [messageCount, setMessageCount] = useState(1)
  return <MessageForm key={messageCount} startOver={() => setMessageCount(messageCount + 1)} />
}

function MessageForm({ startOver }: { startOver: () => void }) {
  const online = useOnline()
  const form = useMessageForm()
  const { status, values } = form
  if (status === 'submitted') return <Confirmation email={values.email} startOver={startOver} />
  const isSending = status === 'submitting'
  return (
    <form className="fields" {...form.props}>
      <Field form={form} name="name" label="Your name" autoComplete="name" />
      <Field
        form={form}
        name="email"
        label="E-mail address"
        hint="Used only to reply to you."
        type="email"
        autoComplete="email"
      />
      <TopicField control={form.field('topic')} />
      <Field
        form={form}
        name="message"
        label="Message"
        hint="Up to 10,000 characters. Please do not include passwords or other people’s data."
        rows={8}
      />
      <div className="lure" aria-hidden="true">
        <label htmlFor={form.field('website').id}>Leave this empty</label>
        <input {...form.field('website')} type="text" tabIndex={-1} autoComplete="off" />
      </div>
      <FormError form={form} />
      <p role="status">
        {!online && 'You are offline. Your message stays here until you can send it.'}
      </p>
      <p className="actions">
        <BusyButton className="button" type="submit" isBusy={isSending} isUnavailable={!online}>
          {isSending ? 'Sending…' : 'Send message'}
        </BusyButton>
      </p>
    </form>
  )
}

type MessageFormState = ReturnType<typeof useMessageForm>

function useMessageForm() {
  const form = useForm({
    fields: {
      name: { required: true, maxLength: 200 },
      email: { name: 'e-mail', required: true, dataType: 'email', maxLength: 200 },
      topic: {},
      message: { required: true, maxLength: 10_000 },
      website: {},
    },
    initial: { topic: 'question', ...loadDraft() },
    submit: async (values) => {
      await sendMessage(values)
      clearDraft()
    },
  })
  const { status, values } = form
  useEffect(() => {
    if (status !== 'submitted') saveDraft(values)
  }, [status, values])
  return form
}

function TopicField({ control }: { control: ReturnType<MessageFormState['field']> }) {
  return (
    <div className="field">
      <label htmlFor={control.id}>Topic</label>
      <select {...control} aria-describedby={undefined}>
        {Array.from(topics, ([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </div>
  )
}

function Confirmation({ email, startOver }: { email: string; startOver: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div role="status" className="fields">
      <h2 ref={heading} tabIndex={-1}>
        Message sent
      </h2>
      <p>
        The server has stored your message. We will reply to <b>{email}</b>.
      </p>
      <p className="actions">
        <button type="button" className="button quiet" onClick={startOver}>
          Write another message
        </button>
      </p>
    </div>
  )
}
