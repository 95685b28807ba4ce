/**
 * Compile-time tests of the hooks for typed queries, like those in `client/test/types`. The code is never executed.
 */
import { createClient, type WeftError } from '@weft/client'
import { defineSchema, one, type Row, text } from '@weft/client/schema'
import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@weft/react'

type Same<X, Y> = (<T>() => T extends X ? 1 : 2) extends <T>() => T extends Y ? 1 : 2 ? true : false
/** Compiles when X and Y are the same type. */
declare function same<X>(): <Y>(
  value: Y,
  ...check: Same<X, Y> extends true ? [] : [{ expected: X; found: Y }]
) => void

const schema = defineSchema({
  contact: { name: text(), company: one('company') },
  company: { name: text() },
})
const client = createClient({ url: 'http://localhost:8080', schema })
const contacts = client.find('contact', { with: { company: true } })
type Contact = Row<typeof schema, 'contact', { company: true }>

export function TypedQueries({ maybe }: { maybe: typeof contacts | null }) {
  const state = useQuery(contacts)
  same<readonly Contact[]>()(state.data)
  same<WeftError | undefined>()(state.error)
  same<'loading' | 'ready' | 'error'>()(state.status)
  if (state.status === 'error') same<WeftError>()(state.error)
  const off = useQuery(maybe)
  same<'loading' | 'ready' | 'error' | 'disabled'>()(off.status)
  for (const row of off.data) same<Contact>()(row)
  same<'ready'>()(useSuspenseQuery(contacts).status)
  same<readonly Contact[]>()(useSuspenseQuery(contacts).data)
  same<readonly Contact[]>()(useInfiniteQuery(contacts).data)
  same<'loading' | 'ready' | 'error' | 'disabled'>()(useInfiniteQuery(maybe).status)
  // @ts-expect-error A raw query has no pages.
  useInfiniteQuery({ type: 'the_contact' })
  const raw = useQuery<{ id: number }>({ type: 'the_contact' })
  if (raw.status === 'ready') same<readonly { id: number }[]>()(raw.data)
  // @ts-expect-error A raw query has data only in some states.
  raw.data
  // @ts-expect-error A typed query has no format.
  useQuery(contacts, { format: 'RAW' })
  return null
}
