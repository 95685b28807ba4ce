import { boolean, defineSchema, many, one, type Row, text } from '@weft/client/schema'

export const schema = defineSchema({
  contact: {
    name: text().required().max(100),
    email: text().format('email'),
    vip: boolean().default(false),
    company: one('company'),
  },
  company: {
    name: text().required().max(100),
    city: text(),
    contacts: many('contact', 'company'),
  },
})

export type Contact = Row<typeof schema, 'contact', { company: true }>
