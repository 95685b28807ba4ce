import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Id } from '../src/model/id.ts'
import type { Query } from '../src/query/query.ts'
import { executeQuery } from '../src/query/run.ts'
import { executeFilteredQuery as filtered } from '../src/query/run-filtered.ts'
import { answerOf, type GraphCase, seed } from './vectors.ts'

/** A random graph and queries, with the answers of the simple evaluator in Go. */
interface RandomCases {
  readonly graph: GraphCase
  readonly cases: readonly { readonly query: Query; readonly want: object }[]
}

// WEFT_QUERY_CASES is the number of graphs, WEFT_QUERY_SEED the seed of the first graph.
const { WEFT_QUERY_CASES: graphs = '100', WEFT_QUERY_SEED: from = '1' } = process.env

test('answers random queries as the simple evaluator does', { timeout: 600_000 }, () => {
  let filters = 0
  for (const line of createCases(graphs, from)) {
    const { graph, cases } = JSON.parse(line) as RandomCases
    for (const { query, want } of cases) {
      const text = JSON.stringify(query)
      expect(answerOf(filtered, { graph, query }), text).toEqual(want)
      if (query.logic) filters++
      if (query.orderBy) expectPages(graph, query)
      if (!/"(logic|after|depth|aggregate|orderBy)":/.test(text))
        expect(answerOf(executeQuery, { graph, query }), text).toEqual(want)
    }
  }
  expect(filters).toBeGreaterThan(Number(graphs))
})

test('compares a number as the operand of a filter, and refuses an object as invalid', () => {
  const graph: GraphCase = {
    concepts: [
      { id: 2001, type: 'the_age', value: '20' },
      { id: 2002, type: 'the_age', value: '30' },
    ],
    connections: [],
  }
  const find = (search: unknown) =>
    filtered(seed(graph), {
      type: 'the_age',
      filters: [{ name: 'f', search: search as number }],
      logic: 'f',
    })
  expect(find(20).roots).toEqual([2001])
  expect(() => find({})).toThrow('the search value must be a string, number or boolean, not object')
})

/** Reads the pages of an ordered query one after the other, and compares their roots with those of a query for all. */
function expectPages(graph: GraphCase, query: Query): void {
  const loaded = seed(graph)
  const all = { ...query, page: 1, pageSize: 1_000 }
  const roots: Id[] = []
  for (let after: string | undefined; ; ) {
    const answer = filtered(loaded, { ...all, pageSize: 2, ...(after && { after }) })
    roots.push(...answer.roots)
    after = answer.details?.next
    if (!after) break
  }
  expect(roots, JSON.stringify(query)).toEqual(filtered(loaded, all).roots)
}

/** Runs the generator of cases. Returns the cases of each graph as JSON. */
function createCases(graphs: string, seed: string): string[] {
  const cwd = join(import.meta.dirname, '../../..')
  const args = ['run', './internal/querycases', '-n', graphs, '-seed', seed]
  const lines = execFileSync('go', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 30 })
  return lines.trim().split('\n')
}
