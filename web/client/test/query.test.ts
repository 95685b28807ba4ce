import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run as filtered } from '../src/query/filtered.ts'
import type { Query } from '../src/query/query.ts'
import { run } from '../src/query/run.ts'
import { type GraphCase, queried } from './vectors.ts'

/** What the slow and obvious evaluator in Go answers to queries that dice rolled. */
interface Rolled {
  readonly graph: GraphCase
  readonly cases: readonly { readonly query: Query; readonly want: object }[]
}

// WEFT_QUERY_CASES=10000 rolls more graphs, WEFT_QUERY_SEED others.
const { WEFT_QUERY_CASES: graphs = '100', WEFT_QUERY_SEED: from = '1' } = process.env

test('queries are answered as the obvious evaluator answers them', { timeout: 600_000 }, () => {
  let filters = 0
  for (const line of roll(graphs, from)) {
    const { graph, cases } = JSON.parse(line) as Rolled
    for (const { query, want } of cases) {
      const text = JSON.stringify(query)
      expect(queried(filtered, { graph, query }), text).toEqual(want)
      if (query.logic) filters++
      if (!/"(logic|after|depth|aggregate)":/.test(text))
        expect(queried(run, { graph, query }), text).toEqual(want)
    }
  }
  expect(filters).toBeGreaterThan(Number(graphs))
})

function roll(graphs: string, seed: string): string[] {
  const cwd = join(import.meta.dirname, '../../..')
  const args = ['run', './internal/querycases', '-n', graphs, '-seed', seed]
  const lines = execFileSync('go', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 30 })
  return lines.trim().split('\n')
}
