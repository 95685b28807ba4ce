import { expect, test } from 'vitest'
import { decodeAnswer } from '../src/wire/answer-codec.ts'
import { expectList, expectRecord } from '../src/wire/expect.ts'

const countsOf = (countinfo: unknown) => decodeAnswer({ countinfo }, { type: 'the_note' }).counts

test('decodes a count of three numbers separated by underscores', () => {
  expect(countsOf(['2001_9011_37', '-1_2_0'])).toEqual([
    { of: 2001, type: 9011, n: 37 },
    { of: -1, type: 2, n: 0 },
  ])
})

test('decodes an answer without counts', () => {
  for (const none of [[], null, undefined]) expect(countsOf(none)).toEqual([])
})

test.each(['1_2', '1_2_3_4', '1_2_x', '', '_'])('rejects the malformed count %j', (text) => {
  expect(() => countsOf([text])).toThrow(
    `expected a count, not string (${text.length + 2} characters)`,
  )
})

test('does not quote malformed input, which may be a secret', () => {
  const secret = { token: 'a-token-of-theirs' }
  for (const read of [
    () => decodeAnswer([secret.token], { type: 'the_note' }),
    () => expectList(secret),
    () => expectRecord(secret),
  ])
    expect(read).toThrow(/^expected a [a-z ]+, not object \(\d+ characters\)$/)
})
