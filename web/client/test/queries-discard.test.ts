import { describe, expect, test } from 'vitest'
import type { Client, Id, Query } from '../src/index.ts'
import { begin, type Transaction } from '../src/transaction/index.ts'
import { open, until, watch } from './open.ts'
import { startServer } from './server.ts'

const notes: Query = { type: 'the_note', selectors: ['self'], pageSize: 100 }
const filtered: Query = {
  ...notes,
  hops: [{ connection: 'self', name: 'inside' }],
  filters: [{ name: 'any', on: 'inside', type: 'the_text', op: '!=', search: 'none' }],
  logic: 'any',
}

type Change = (transaction: Transaction, id: Id) => unknown
const changes: Record<string, Change> = {
  create: (transaction) => transaction.create('the_note', { text: 'discarded' }),
  update: (transaction, id) => transaction.update(id, { text: 'discarded' }),
  remove: (transaction, id) => transaction.remove(id),
}
const settledRecords = {
  'of the query': ['the_note', { text: 'settled' }],
  'of another type': ['the_team', { name: 'settled' }],
} as const

/*
 * A write is settled while another one, which is discarded later, is pending or about to be made. The settled write changes the
 * answer of the server that the page assumes; the discarded one must not.
 */
describe.each(Object.entries({ 'a list': notes, 'a filtered list': filtered }))(
  '%s',
  (_, query) => {
    describe.each(Object.entries(settledRecords))(
      'after a record %s was synced',
      (_, [type, fields]) => {
        const settle = (weft: Client) => weft.create(type, fields).synced

        test.each(Object.entries(changes))(
          'is as before once a later %s is discarded',
          async (_, change) => {
            const { weft, id, state } = await listOfTwo(query)
            await settle(weft)
            const expected = state()
            const transaction = begin(weft)
            change(transaction, id)
            await Promise.resolve()
            await transaction.rollback()
            expect(state()).toEqual(expected)
          },
        )

        test.each(Object.entries(changes))(
          'is complete once an earlier %s is discarded',
          async (_, change) => {
            const { weft, id, state } = await listOfTwo(query)
            const transaction = begin(weft)
            change(transaction, id)
            await settle(weft)
            await transaction.rollback()
            const texts = ['second', 'first']
            const rows = type === 'the_note' ? ['settled', ...texts] : texts
            expect(state()).toMatchObject({ complete: true, total: rows.length, rows })
          },
        )
      },
    )
  },
)

/** Opens a client that shows two synced notes, and returns the id of the older one. */
async function listOfTwo(query: Query) {
  const weft = open(await startServer())
  const { id, synced } = weft.create('the_note', { text: 'first' })
  await synced
  await weft.create('the_note', { text: 'second' }).synced
  const list = weft.query<Row>(query)
  watch(list)
  const state = () => {
    const { data = [], ...rest } = { ...list.get() } as { data?: readonly Row[] }
    return { ...rest, rows: data.map((row) => row.data.the_note.text?.data.the_text ?? '') }
  }
  await until(() => JSON.stringify(state()).includes('"complete":true'))
  return { weft, id, state }
}

interface Row {
  readonly data: { readonly the_note: { readonly text?: { readonly data: { the_text: string } } } }
}
