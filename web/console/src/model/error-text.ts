/** Returns the message of an error as a sentence for the user. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return 'An unknown error has occurred.'
  const text = error.message
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
