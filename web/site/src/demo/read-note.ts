import type { Fields } from '@weft/client'

/** Reads a record of type `the_note`. Any visitor may have written it, so its fields may be missing or malformed. */
export function readNote({ text, done }: Fields): { text: string; done: boolean } {
  return { text: typeof text === 'string' ? text : '', done: done === 'true' }
}
