import { expect, test } from 'vitest'
import { answerOf } from '../src/wire/answer.ts'
import { listOf, recordOf } from '../src/wire/shape.ts'

const countsOf = (countinfo: unknown) => answerOf({ countinfo }, { type: 'the_note' }).counts

test('counts are three numbers between underscores', () => {
  expect(countsOf(['2001_9011_37', '-1_2_0'])).toEqual([
    { of: 2001, type: 9011, n: 37 },
    { of: -1, type: 2, n: 0 },
  ])
})

test('there may be none', () => {
  for (const none of [[], null, undefined]) expect(countsOf(none)).toEqual([])
})

test.each(['1_2', '1_2_3_4', '1_2_x', '', '_'])('%j is no count, which is said', (text) => {
  expect(() => countsOf([text])).toThrow(`expected a count, not ${text.length + 2} of string`)
})

test('what makes no sense is not quoted: it may be a secret', () => {
  const secret = { token: 'a-token-of-theirs' }
  for (const read of [
    () => answerOf([secret.token], { type: 'the_note' }),
    () => listOf(secret),
    () => recordOf(secret),
  ])
    expect(read).toThrow(/^expected a [a-z ]+, not \d+ of object$/)
})
