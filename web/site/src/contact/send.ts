/** Sends a message to the operator. Rejects with a sentence for the writer. */
export async function send(message: Readonly<Record<string, string>>): Promise<void> {
  const answer = await fetch('/api/v1/contact', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
  }).catch(() => {
    throw new Error('The server does not answer. What you wrote stays here; try again in a while.')
  })
  if (answer.ok) return
  const { message: words } = (await answer.json().catch(() => ({}))) as { message?: string }
  throw new Error(`The message was not sent: ${words ?? `the server answered ${answer.status}`}`)
}
