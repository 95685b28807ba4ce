import type { Fields } from '@weft/client'

/** What the demo reads of a record of type `the_note`. Anybody may have written it. */
export function readNote({ text, done }: Fields): { text: string; done: boolean } {
  return { text: typeof text === 'string' ? text : '', done: done === 'true' }
}
