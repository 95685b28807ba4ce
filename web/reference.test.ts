import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reference } from './reference.ts'

const { WRITE } = process.env
const path = join(import.meta.dirname, '../docs/client-api.md')

test('docs/client-api.md matches the types of the browser library', () => {
  const now = reference()
  if (WRITE) writeFileSync(path, now)
  expect(now).toBe(readFileSync(path, 'utf8'))
})
