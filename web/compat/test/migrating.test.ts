import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8')

test('the migration guide maps each of the 211 names once, or explains why a name is gone', () => {
  const [, section = ''] = read('../../../docs/migrating.md').split('## All names of the package')
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (`.*?`) \| (.*?) \|$/gm)]
  const mapped = rows.flatMap(([, names = '']) => names.replaceAll('`', '').split(', '))
  const declaration = /^export (?:declare )?(?:const|class|function|interface) (\w+)/gm
  const names = [...read('contract.d.ts').matchAll(declaration)].map(([, name = '']) => name)
  expect(mapped.sort()).toEqual(names.sort())
  const reasons = rows.map(([, , reason = '']) => reason)
  expect(reasons.filter((reason) => reason.length < 10 || /^gone:?$/.test(reason))).toEqual([])
})
