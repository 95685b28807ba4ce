import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { covered } from './covered.ts'
import { differences } from './differences.ts'
import { recordings } from './recorded.ts'

/** The groups of recordings that this package reproduces. */
const groups = /^(composition|create|format|link|observer|search|sync|transaction|update|widget)-/

const names = ['recorded.txt', 'replay/recorded.txt'].flatMap((file) =>
  readFileSync(join(import.meta.dirname, '../../../spec', file), 'utf8').split('\n'),
)
const all = [...new Set(names)].filter((name) => groups.test(name))

const replayed = ['composition', 'create', 'format', 'link', 'search', 'update', 'widget'].flatMap(
  (group) => recordings(group).map(({ name }) => name),
)

test('every recording of these groups is replayed or covered by another test', () => {
  expect(all).toHaveLength(170)
  const known = new Set([...replayed, ...Object.keys(covered)])
  expect(all.filter((name) => !known.has(name))).toEqual([])
  const listed = [...Object.keys(covered), ...Object.keys(differences)]
  expect(listed.filter((name) => !all.includes(name))).toEqual([])
})

test('the tests that cover recordings exist', () => {
  const files = [import.meta.dirname, join(import.meta.dirname, '../../client/test')].flatMap(
    (folder) => readdirSync(folder).map((file) => join(folder, file)),
  )
  const tests = files.filter((file) => file.endsWith('.test.ts'))
  const texts = tests.map((file) => readFileSync(file, 'utf8')).join('\n')
  const ran = new Set(replayed)
  const missing = Object.values(covered).filter(
    ([title]) => !ran.has(title) && !texts.includes(`'${title}'`),
  )
  expect(missing).toEqual([])
})
