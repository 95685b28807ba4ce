import { Field, FormError, useForm } from '@weft/react/form'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

// What the tests of forms call inside the page, through `window.inForm`.

/** What the forms ask of the test's server, in order. */
const asked: string[] = []

/** Asks the test's server, which answers when the test lets it. */
async function ask(path: string): Promise<boolean> {
  asked.push(path)
  const answer = await fetch(path)
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as boolean
}

/** Draws a form for signing up. */
function draw(): void {
  const app = document.getElementById('app')
  if (app !== null)
    createRoot(app).render(
      <StrictMode>
        <SignUp />
      </StrictMode>,
    )
}

function SignUp() {
  const form = useForm({
    fields: {
      email: {
        name: 'Email',
        required: true,
        dataType: 'email',
        conceptType: 'email',
        isUnique: true,
      },
      password: { name: 'Password', required: true, minLength: 8 },
      about: { maxLength: 10 },
    },
    initial: { about: 'me' },
    taken: (type, value) => ask(`/taken?${type}=${value}`),
    submit: (values) => ask(`/submit?${new URLSearchParams(values)}`),
    refused: ({ message }) =>
      message.startsWith('the password') ? { password: message } : undefined,
  })
  return (
    <main>
      <h1>Sign up</h1>
      <form {...form.props}>
        <Field form={form} name="email" label="Email" type="email" autoComplete="email" />
        <Field form={form} name="password" label="Password" type="password" hint="Eight letters." />
        <Field form={form} name="about" label="About you" rows={3} />
        <FormError form={form} />
        <button type="submit">Sign up</button>
        <button type="button" onClick={form.reset}>
          Start over
        </button>
      </form>
      <output>{`${form.status}${form.dirty ? ' dirty' : ''}`}</output>
    </main>
  )
}

const inForm = { draw, asked }
window.inForm = inForm

declare global {
  interface Window {
    inForm: typeof inForm
  }
}
