import { describe, expect, test } from 'vitest'
import {
  checkAnomaly,
  dataTypes,
  detectDataType,
  type IsTaken,
  type Messages,
  matchesDataType,
  validateField,
  validateForm,
  validateUnique,
} from '../src/validate/index.ts'
import { mulberry } from './dice.ts'
import { type Case, refusal, vectors } from './vectors.ts'

describe('datatype', () => {
  const cases = vectors('datatype')
  for (const { name, given, want } of cases)
    test(name, () => {
      const { dataType, values } = given
      expect(values.filter((value: string) => matchesDataType(dataType, value))).toEqual(want)
    })
  test.each(dataTypes)('%s has a case', (dataType) => {
    expect(cases.map(({ given }) => given.dataType)).toContain(dataType)
  })
})

describe('validate', () => {
  for (const { name, given, want, invalid } of vectors('validate'))
    test(name, async () => {
      if (invalid) expect(refusal(() => validateField(given, given))).toBe(invalid)
      else expect(JSON.stringify(await validateAll(given))).toBe(JSON.stringify(want))
    })
})

test('validateForm returns only the invalid fields', () => {
  const form = {
    a: { name: 'a', value: '', required: true },
    b: { name: 'b', value: 'x', required: true },
    c: { name: 'c', value: 'x', dataType: 'email' },
  }
  expect(validateForm(form)).toEqual({
    a: { required: 'The field a is required.' },
    c: { dataType: 'Invalid value for email' },
  })
})

async function validateAll(given: Case['given']): Promise<Messages> {
  const taken: IsTaken = async (type, value) => given.taken?.[type]?.includes(value) ?? false
  return { ...validateField(given, given), ...(await validateUnique(given, given, taken)) }
}

describe('anomaly', () => {
  for (const { name, given, want } of vectors('anomaly'))
    test(name, () => {
      expect(checkAnomaly(given.normal, given.type, given.value)).toEqual(want)
    })
})

test('a random pattern matches the same strings as RegExp', () => {
  for (let seed = 1; seed <= 3_000; seed++) {
    const dice = mulberry(seed)
    const pattern = patternOf(dice, 3)
    for (let i = 0; i < 5; i++) {
      const value = Array.from({ length: dice() * 7 }, () => pick(dice, [...'abA1 -\n'])).join('')
      const found = validateField({ name: 'f', pattern }, { value }).pattern === undefined
      if (value)
        expect
          .soft(found, `${pattern} in ${JSON.stringify(value)}`)
          .toBe(RegExp(pattern).test(value))
    }
  }
})

const pick = <T>(dice: () => number, list: readonly T[]): T =>
  list[Math.floor(dice() * list.length)] as T

/** Returns a random pattern that means the same in the pattern syntax of Weft and in that of RegExp. */
function patternOf(dice: () => number, depth: number): string {
  const inside = () => patternOf(dice, depth - 1)
  switch (depth === 0 ? 0 : Math.floor(dice() * 7)) {
    case 1:
      return inside() + inside()
    case 2:
      return `(?:${inside()}|${inside()})`
    case 3:
      return `(${inside()})${pick(dice, ['*', '+', '?', '{2}', '{1,2}', '{0,}', '*?', '{0}'])}`
    case 4:
      return `^${inside()}`
    case 5:
      return `${inside()}$`
    default:
      return pick(dice, [
        'a',
        'b',
        'ab',
        '[ab]',
        '[^a]',
        '\\d',
        '\\w',
        '\\W',
        '\\b',
        '\\B',
        '\\n',
        '[a-b1-]',
        '|a',
      ])
  }
}

// A backtracking engine would practically never end on these strings.
test('long strings are matched in linear time', () => {
  const long = [
    `http://a.co/${'a'.repeat(200_000)}!`,
    `${'a.'.repeat(200_000)}!`,
    `${'a'.repeat(200_000)}@${'b.'.repeat(100_000)}`,
    `${'1'.repeat(400_000)}x`,
    `${'a '.repeat(200_000)}1`,
    'f:'.repeat(200_000),
  ]
  for (const text of long) {
    for (const dataType of dataTypes)
      if (matchesDataType(dataType, text)) expect(['text', 'password']).toContain(dataType)
    for (const pattern of ['^(a+)+$', '^((a|1|f:)*)*$#', '((a*)*)*#', '(a|a)+(a|a)+(a|a)+#'])
      expect(validateField({ name: 'f', pattern }, { value: text.slice(-20_000) })).toHaveProperty(
        'pattern',
      )
  }
})

test.each([
  ['5', 'number'],
  ['5.5', 'number'],
  ['-1', 'text'],
  ['abc', 'textOnly'],
  ['a@b.co', 'email'],
  ['12:30', 'time'],
  ['2025-01-01', 'date'],
  ['x.pdf', 'document'],
  ['a.svg', 'image'],
  ['a.mp3', 'sound'],
  ['a.webm', 'video'],
  ['example.com', 'url'],
  ['1.2.3.4', 'ipaddress'],
  ['123e4567-e89b-12d3-a456-426614174000', 'uuid'],
  ["O'Brien", 'text'],
  ['123456', 'number'],
])('%s is detected as %s, the most specific data type', (text, dataType) => {
  expect(detectDataType(text)).toBe(dataType)
})
