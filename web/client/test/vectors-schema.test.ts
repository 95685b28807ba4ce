import { describe, expect, test } from 'vitest'
import { checkSchema, findProblems } from '../src/schema/check-schema.ts'
import { decodeRecord, decodeValue } from '../src/schema/decode.ts'
import type { SchemaData } from '../src/schema/fields.ts'
import { checkStored, encodeChanges, encodeRecord, encodeValue } from '../src/schema/record.ts'
import { vectors } from './vectors.ts'

/*
 * The cases of schemas, values and records that Go and TypeScript share. The server stores a schema in its canonical
 * form, which only Go checks.
 */

describe('the rules of schemas', () => {
  test.each(vectors('schema'))('$name', ({ given, want }) => {
    const problems = findProblems(given).map(({ message: _, ...problem }) => problem)
    expect(problems).toEqual(want.problems ?? [])
    if (want.problems) expect(() => checkSchema(given)).toThrow('the schema has problems')
    else expect(checkSchema(JSON.parse(want.canonical))).toEqual(JSON.parse(want.canonical))
  })
})

describe('typed values', () => {
  test.each(vectors('value'))('$name', ({ given, want }) => {
    const { field, encode = [], decode = [] } = given
    const results = [
      ...encode.map((value: unknown) => encoded(encodeValue('value', field, expand(value)))),
      ...decode.map((stored: never) =>
        decoded(decodeValue('value', field, expand(stored) as never)),
      ),
    ]
    expect(results).toEqual(expand(want))
  })
})

describe('typed records', () => {
  const now = new Date('2026-02-28T09:30:00Z')
  test.each(vectors('record'))('$name', ({ given, want }) => {
    const { fields } = (given.schema as SchemaData).types[given.type] as { fields: never }
    const result = given.create
      ? encoded(encodeRecord(fields, expand(given.create), now))
      : given.change
        ? encoded(encodeChanges(fields, expand(given.change)))
        : given.check
          ? { refusals: encoded(checkStored(fields, expand(given.check) as never)).refusals }
          : decoded(decodeRecord(fields, expand(given.decode) as never))
    expect(result).toEqual(expand(want))
  })
})

/** Returns the result of an encoding in the form of the cases. */
const encoded = ({ stored, refusals }: { stored: unknown; refusals: readonly unknown[] }) =>
  refusals.length > 0 ? { refusals } : { stored }

const decoded = ({ value, malformed }: { value: unknown; malformed: readonly string[] }) =>
  malformed.length > 0 ? { value: toJson(value), malformed } : { value: toJson(value) }

const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Replaces `{"$number": "NaN"}` by that number and `{"$repeat": [text, n]}` by the repeated text, at any depth. */
function expand(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('$number' in value) return Number(value.$number)
  if ('$repeat' in value) {
    const [text, times] = value.$repeat as [string, number]
    return text.repeat(times)
  }
  if (Array.isArray(value)) return value.map(expand)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]))
}
