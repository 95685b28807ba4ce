import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeFilterFields } from '../../../client/src/wire/filter-codec.ts'
import { encodeQuery } from '../../../client/src/wire/query-codec.ts'
import { curlOf } from '../../src/ask/code/curl.ts'
import { findOptions } from '../../src/ask/code/find.ts'
import { goOf } from '../../src/ask/code/go.ts'
import { typeScriptOf } from '../../src/ask/code/typescript.ts'
import { clientQuery } from '../../src/ask/question/client-query.ts'
import { parseQuestion, type WireQuery } from '../../src/ask/question/wire.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../../docs/query.md'), 'utf8')
const examples = [...guide.matchAll(/```json\n(\{[\s\S]*?)```\n```json\n/g)].map(
  ([, text = '']) => parseQuestion(text) ?? {},
)

test('the client encodes the converted query as the original question', () => {
  for (const example of examples) {
    const sent = encodeQuery(clientQuery(example), (id) => id, encodeFilterFields)
    expect(JSON.parse(JSON.stringify(sent, withoutFormat))).toEqual(
      JSON.parse(JSON.stringify(example)),
    )
  }
})

/** Leaves out the format, and the empty operand that the client sends with `exists`. */
const withoutFormat = (name: string, value: unknown) =>
  name === 'outputFormat' || (name === 'search' && value === '') ? undefined : value

test('Go programs are valid', () => {
  for (const example of examples) {
    const source = goOf(example, 'http://127.0.0.1:8080')
    expect(execFileSync('gofmt', { input: source, encoding: 'utf8' })).toContain('wire.Query{')
  }
})

test('the curl command sends the question, including quotes in it', () => {
  const query = { type: 'the_order', filters: [{ name: 'a', search: "it's" }], filterLogic: 'a' }
  const command = curlOf(query, 'http://127.0.0.1:8080').replace(/^curl -s/, "printf '%s\\n'")
  const words = execFileSync('sh', ['-c', command], { encoding: 'utf8' })
  expect(JSON.parse(words.slice(words.indexOf('{')))).toEqual({ outputFormat: 1, ...query })
})

const declared = {
  contact: {
    fields: {
      name: { kind: 'text' },
      age: { kind: 'integer' },
      company: { kind: 'one', targets: ['company'] },
    },
  },
}

const typed: WireQuery = {
  type: 'the_contact',
  selectors: ['self'],
  inpage: 20,
  orderBy: [{ field: 'the_name' }],
  freeschemaQueries: [
    { typeConnection: 'self', direct: true, name: 'in' },
    { typeConnection: 'the_contact_company', includeInFilter: true, selectors: ['self'] },
  ],
  filters: [{ name: 'old', operateon: 'in', type: 'the_age', logicoperator: '>=', search: '30' }],
  filterLogic: 'old',
}

test('a question about declared fields becomes a call of find', () => {
  expect(findOptions(typed, declared)).toEqual({
    type: 'contact',
    options: {
      where: { age: { gte: 30 } },
      with: { company: true },
      orderBy: { name: 'asc' },
      limit: 20,
    },
  })
  expect(typeScriptOf(typed, 'http://x', declared)).toContain("weft.find('contact', {")
})

test('other questions become queries of the client', () => {
  for (const other of [
    { ...typed, type: 'the_order' },
    { ...typed, filterLogic: 'NOT old' },
    { ...typed, countAll: true },
    { ...typed, filters: [{ ...typed.filters?.[0], type: 'the_size' }] },
    { ...typed, freeschemaQueries: [{ typeConnection: 'self', name: 'in' }] },
  ]) {
    expect(findOptions(other, declared)).toBeUndefined()
    expect(typeScriptOf(other, 'http://x', declared)).toContain('weft.query({')
  }
})
