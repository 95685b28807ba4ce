import { expect, test } from 'vitest'
import { grammar } from '../src/try/grammar.ts'
import { read, singulars } from '../src/try/read.ts'

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
])('%s', (question, kind, words) => {
  expect(read(question)).toEqual({ kind, words })
})

test('every example of the grammar is read as what it is an example of', () => {
  for (const { kind, examples } of grammar)
    for (const example of examples) expect(read(example).kind).toBe(kind)
})

test('what is not understood is named', () => {
  expect(read('how many')).toEqual({ kind: undefined, understood: 'how many', rest: '' })
  expect(read('define')).toMatchObject({ kind: 'meanings' })
  expect(read('paint the moon')).toEqual({
    kind: undefined,
    understood: '',
    rest: 'paint the moon',
  })
  expect(read('words that start quickly')).toEqual({
    kind: undefined,
    understood: 'words that start',
    rest: 'quickly',
  })
})

test('plurals lead to what they may be plurals of', () => {
  expect(singulars('dogs')).toEqual(['dog'])
  expect(singulars('ponies')).toContain('pony')
  expect(singulars('wolves')).toContain('wolf')
  expect(singulars('knives')).toContain('knife')
  expect(singulars('boxes')).toContain('box')
  expect(singulars('grass')).toEqual([])
})
