/** Sends a message to the operator. Rejects with an error whose message can be shown to the sender. */
export async function sendMessage(message: Readonly<Record<string, string>>): Promise<void> {
  const response = await fetch('/api/v1/contact', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
  }).catch(() => {
    throw new Error('The server cannot be reached. Your message stays here; try again later.')
  })
  if (response.ok) return
  const { message: reason } = (await response.json().catch(() => ({}))) as { message?: string }
  throw new Error(
    `The message was not sent: ${reason ?? `the server responded with ${response.status}`}`,
  )
}
