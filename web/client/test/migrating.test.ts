import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as account from '../src/account/index.ts'
import * as records from '../src/graph/index.ts'
import { createClient } from '../src/index.ts'
import * as logger from '../src/logger/index.ts'
import * as monitor from '../src/monitor/index.ts'
import * as services from '../src/services/index.ts'
import * as tracker from '../src/tracker/index.ts'
import * as transaction from '../src/transaction/index.ts'
import * as validate from '../src/validate/index.ts'
import * as worker from '../src/worker/index.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/migrating.md'), 'utf8')

test('the exports that the migration guide names exist', () => {
  const client = createClient({ url: 'http://127.0.0.1:1', storage: 'memory' })
  client.close()
  const entries = [account, logger, monitor, records, services, tracker, transaction, validate]
  const known = new Set(
    [...entries, worker, { createClient }].flatMap((entry) => Object.keys(entry)),
  )
  const rows = page.matchAll(/^\|[^|]*\|([^|]*)\|$/gm)
  const calls = [...rows].flatMap(([, ours = '']) => [...ours.matchAll(/`([a-zA-Z.]+)\(/g)])
  expect(calls.length).toBeGreaterThan(30)
  const missing = calls
    .map(([, name = '']) => name)
    .filter((name) => !(name.startsWith('client.') ? name.slice(7) in client : known.has(name)))
  expect(missing).toEqual([])
})
