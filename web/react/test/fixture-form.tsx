import { Field, FormError, useForm } from '@weft/react/form'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

// The functions that form tests call in the page, through `window.formFixture`.

/** Paths of the requests of the form, in order. */
const requests: string[] = []

/** Sends a request to the test server, which responds when the test decides. */
async function request(path: string): Promise<boolean> {
  requests.push(path)
  const response = await fetch(path)
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as boolean
}

/** Renders a sign-up form. */
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
      // A malformed pattern.
      nickname: { pattern: '(' },
    },
    initial: { about: 'me' },
    isTaken: (type, value) => request(`/taken?${type}=${value}`),
    submit: (values) => request(`/submit?${new URLSearchParams(values)}`),
    fieldErrors: ({ message }) =>
      message.startsWith('the password') ? { password: message } : undefined,
  })
  return (
    <main>
      <h1>Sign up</h1>
      <form {...form.props}>
        <Field form={form} name="email" label="Email" type="email" autoComplete="email" />
        <Field form={form} name="password" label="Password" type="password" hint="Eight letters." />
        <Field form={form} name="about" label="About you" rows={3} />
        <Field form={form} name="nickname" label="Nickname" />
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

const formFixture = { draw, requests }
window.formFixture = formFixture

declare global {
  interface Window {
    formFixture: typeof formFixture
  }
}
