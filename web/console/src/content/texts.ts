import type { Files, WidgetTree } from './api.ts'

/** Returns a sentence about the trust level of the code of a widget. */
export function trustWords(trust: WidgetTree['trust'], files: Files, owner: string): string {
  const isTrusted = `the owner (${owner}) is trusted`
  const isUntrusted = `the owner (${owner}) is not trusted`
  if (!Object.keys(files).some((name) => name.endsWith('.js')))
    return 'The widget has no code: HTML and CSS only.'
  if (trust === 'trusted') return `The code runs in the page, because ${isTrusted}.`
  if (trust === 'sandbox') return `The code runs in a sandbox, because ${isUntrusted}.`
  return `The code does not run, because ${isUntrusted}.`
}

/** Returns the time of a version for a user. */
export const timeText = (iso: string): string =>
  new Date(iso).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })
