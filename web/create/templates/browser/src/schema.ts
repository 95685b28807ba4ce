import { boolean, defineSchema, type Row, text } from '@weft/client/schema'

/** The records of the application. The types of rows, inputs and queries are derived from it. */
export const schema = defineSchema({
  note: { text: text().required(), done: boolean().default(false) },
})

export type Note = Row<typeof schema, 'note'>
