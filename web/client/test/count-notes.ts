import { countRecords } from '../../e2e/count-records.ts'

/** Returns the number of records of type the_note that the user of a token sees, or a guest without a token. */
export const countNotes = (url: string, token?: string): Promise<number> =>
  countRecords(url, 'the_note', token)
