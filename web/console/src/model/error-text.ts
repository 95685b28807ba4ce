/** Returns the message of an error, such as that of the server, as a sentence for a user. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return 'An unknown error has occurred.'
  const text = error.message
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
