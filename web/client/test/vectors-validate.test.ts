import { describe, expect, test } from 'vitest'
import {
  accepts,
  check,
  checkForm,
  checkUnique,
  dataTypes,
  detect,
  judge,
  type Messages,
  type Taken,
} from '../src/validate/index.ts'
import { mulberry } from './dice.ts'
import { type Case, refusal, vectors } from './vectors.ts'

describe('datatype', () => {
  const cases = vectors('datatype')
  for (const { name, given, want } of cases)
    test(name, () => {
      const { dataType, values } = given
      expect(values.filter((value: string) => accepts(dataType, value))).toEqual(want)
    })
  test.each(dataTypes)('a case says what a %s is', (dataType) => {
    expect(cases.map(({ given }) => given.dataType)).toContain(dataType)
  })
})

describe('validate', () => {
  for (const { name, given, want, invalid } of vectors('validate'))
    test(name, async () => {
      if (invalid) expect(refusal(() => check(given, given))).toBe(invalid)
      else expect(JSON.stringify(await checked(given))).toBe(JSON.stringify(want))
    })
})

test('of a form only the fields are listed that something is wrong with', () => {
  const form = {
    a: { name: 'a', value: '', required: true },
    b: { name: 'b', value: 'x', required: true },
    c: { name: 'c', value: 'x', dataType: 'email' },
  }
  expect(checkForm(form)).toEqual({
    a: { required: 'The field a is required.' },
    c: { dataType: 'Invalid value for email' },
  })
})

async function checked(given: Case['given']): Promise<Messages> {
  const taken: Taken = async (type, value) => given.taken?.[type]?.includes(value) ?? false
  return { ...check(given, given), ...(await checkUnique(given, given, taken)) }
}

describe('anomaly', () => {
  for (const { name, given, want } of vectors('anomaly'))
    test(name, () => {
      expect(judge(given.normal, given.type, given.value)).toEqual(want)
    })
})

test('a pattern finds what other engines find, if they can wait', () => {
  for (let seed = 1; seed <= 3_000; seed++) {
    const dice = mulberry(seed)
    const pattern = patternOf(dice, 3)
    for (let i = 0; i < 5; i++) {
      const value = Array.from({ length: dice() * 7 }, () => pick(dice, [...'abA1 -\n'])).join('')
      const found = check({ name: 'f', pattern }, { value }).pattern === undefined
      if (value)
        expect
          .soft(found, `${pattern} in ${JSON.stringify(value)}`)
          .toBe(RegExp(pattern).test(value))
    }
  }
})

const pick = <T>(dice: () => number, of: readonly T[]): T => of[Math.floor(dice() * of.length)] as T

/** A pattern that means the same to everybody. */
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

// What tries again what it tried before would not come back from these.
test('long texts are no trouble', () => {
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
      if (accepts(dataType, text)) expect(['text', 'password']).toContain(dataType)
    for (const pattern of ['^(a+)+$', '^((a|1|f:)*)*$#', '((a*)*)*#', '(a|a)+(a|a)+(a|a)+#'])
      expect(check({ name: 'f', pattern }, { value: text.slice(-20_000) })).toHaveProperty(
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
])('%s is told to be a %s, the most specific of all it could be', (text, dataType) => {
  expect(detect(text)).toBe(dataType)
})
