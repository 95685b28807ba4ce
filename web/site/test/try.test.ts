import { expect, test } from 'vitest'
import { grammar } from '../src/try/grammar.ts'
import { parseQuestion, singularForms } from '../src/try/parse-question.ts'

test.each([
  ['What is a dog?', 'meanings', ['dog']],
  ["what's the meaning of life", 'meanings', ['life']],
  ['What does “domestic animal” mean?', 'meanings', ['domestic animal']],
  ['weft', 'meanings', ['weft']],
  ['Please list all the kinds of dogs', 'kinds', ['dogs']],
  ['What kinds of fabric are there?', 'kinds', ['fabric']],
  ['how many kinds of bird are there', 'howMany', ['bird']],
  ['What is a loom a kind of?', 'above', ['loom']],
  ['parts of a car', 'parts', ['car']],
  ['what is a wheel part of', 'wholes', ['wheel']],
  ['synonyms for fast', 'synonyms', ['fast']],
  ['What is the opposite of hot?', 'opposites', ['hot']],
  ['Is a whale a fish?', 'isA', ['whale', 'fish']],
  ['are dogs mammals', 'isA', ['dogs', 'mammals']],
  ['What do dogs and domestic cats have in common?', 'common', ['dogs', 'domestic cats']],
  ['Words that start with weav', 'startWith', ['weav']],
  ['words containing thread', 'contain', ['thread']],
  ['use weave in a sentence', 'examples', ['weave']],
  ['What is my name?', 'meanings', ['my name']],
])('parses %j', (question, kind, words) => {
  expect(parseQuestion(question)).toEqual({ kind, words })
})

test('parses every example of the grammar as its own kind', () => {
  for (const { kind, examples } of grammar)
    for (const example of examples) expect(parseQuestion(example).kind).toBe(kind)
})

test('returns the understood part and the rest of an unknown question', () => {
  expect(parseQuestion('how many')).toEqual({ kind: undefined, understood: 'how many', rest: '' })
  expect(parseQuestion('define')).toMatchObject({ kind: 'meanings' })
  expect(parseQuestion('paint the moon')).toEqual({
    kind: undefined,
    understood: '',
    rest: 'paint the moon',
  })
  expect(parseQuestion('words that start quickly')).toEqual({
    kind: undefined,
    understood: 'words that start',
    rest: 'quickly',
  })
})

test('finds the possible singular forms of a plural', () => {
  expect(singularForms('dogs')).toEqual(['dog'])
  expect(singularForms('ponies')).toContain('pony')
  expect(singularForms('wolves')).toContain('wolf')
  expect(singularForms('knives')).toContain('knife')
  expect(singularForms('boxes')).toContain('box')
  expect(singularForms('grass')).toEqual([])
})
