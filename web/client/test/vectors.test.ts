import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { build, type Draft, type TypeInUse } from '../src/composition/build.ts'
import { incrementText } from '../src/composition/increment.ts'
import { patch } from '../src/composition/patch.ts'
import { read } from '../src/composition/read.ts'
import { patchInside } from '../src/graph/nested-records.ts'
import { Graph } from '../src/local/graph.ts'
import { WeftError } from '../src/model/error.ts'
import type { Id } from '../src/model/id.ts'
import type { Mutation } from '../src/model/mutation.ts'
import { splitType, typeChain, withoutPrefix, withPrefix } from '../src/model/type.ts'
import { sortKey } from '../src/query/order.ts'
import { valuePredicate } from '../src/query/predicate.ts'
import type { Answer } from '../src/query/query.ts'
import { executeQuery } from '../src/query/run.ts'
import { executeFilteredQuery as filtered } from '../src/query/run-filtered.ts'
import { shapeAnswer } from '../src/query/shape.ts'
import { shapeRawAnswer } from '../src/query/shape-raw.ts'
import { foldCase } from '../src/query/values.ts'
import { Http } from '../src/wire/http.ts'
import { encodeSync } from '../src/wire/sync-codec.ts'
import {
  answerOf,
  type Case,
  concept,
  nested,
  refusal,
  seed,
  typeConcept,
  vectors,
} from './vectors.ts'

/** Runs the cases of an area. */
function testArea(area: string, rule: (c: Case) => unknown, cases = vectors(area)): void {
  describe(area, () => {
    for (const c of cases)
      test(c.name, () => {
        if (c.invalid) expect(refusal(() => rule(c))).toBe(c.invalid)
        else expectSame(rule(c), c.want)
      })
  })
}

/** Expects equal values whose keys have the same order. */
function expectSame(actual: unknown, expected: unknown): void {
  expect(actual ?? null).toEqual(expected)
  expect(JSON.stringify(actual ?? null)).toBe(JSON.stringify(expected))
}

testArea('increment', ({ given }) => incrementText(given.text, given.by))

testArea('type', ({ given: name }) => ({
  chain: typeChain(name),
  withPrefix: withPrefix(name),
  withoutPrefix: withoutPrefix(name),
  ...splitType(name),
}))

testArea('build', ({ given }) => {
  const [draft, kinds] = createDraft()
  const value = given.deep ? nested(given.deep) : given.value
  const main = build(draft, given.type, value)
  draft.concepts.forEach((c, i) => {
    expect(c.id).toBe(-1 - i)
  })
  draft.connections.forEach((c, i) => {
    expect(c.id).toBe(-1 - i)
    expect(c.type).toBe(main)
  })
  return {
    concepts: kinds(),
    connections: draft.connections.map((c) => [-1 - c.from, -1 - c.to]),
  }
})

/** Creates a draft whose types have the ids from 20,001, in order of first use, and a function that lists its concepts. */
function createDraft(): [draft: Draft, kinds: () => [kind: string, type: string, value: string][]] {
  let [concepts, connections] = [0, 0]
  const types = new Map<string, TypeInUse>()
  const draft: Draft = {
    types: [],
    concepts: [],
    connections: [],
    localIds: { concept: () => --concepts, connection: () => --connections },
    typeOf(value, { created }) {
      const type = types.get(value) ?? typeAt(20_001 + types.size, value, created)
      types.set(value, type)
      return type
    },
    real: (id) => id,
    order: 1,
    owner: 7,
    access: 4,
    created: '',
  }
  const nameOf = (type: Id) => [...types.keys()][type - 20_001] ?? ''
  const kinds = () =>
    draft.concepts.map((c): [string, string, string] => [
      c.composition ? 'composition' : 'value',
      nameOf(c.type),
      c.value,
    ])
  return [draft, kinds]
}

const typeAt = (id: Id, value: string, created: string): TypeInUse => ({
  concept: { id, type: 51, category: 1, value, owner: 999, access: 4, composition: false, created },
  draft: undefined,
  firstLeaf: undefined,
  leavesByValue: undefined,
})

testArea('read', ({ given }) => read(seed(given.graph), given.id, given.shape))

testArea('patch', ({ given }) => {
  const graph = seed(given.graph)
  const { main, changes, of, access } = given
  const [draft, kinds] = createDraft()
  const remove =
    of === undefined
      ? patch(graph, { main, access }, changes, draft)
      : patchInside(graph, { main, of, access }, changes, draft)
  const end = (id: Id) => (id < 0 ? `#${-1 - id}` : String(id))
  const result = {
    concepts: kinds(),
    connections: draft.connections.map((c) => [end(c.from), end(c.to)]),
    remove,
    ...([...draft.concepts, ...draft.connections].some((c) => c.access !== 4) && {
      access: [draft.concepts.map((c) => c.access), draft.connections.map((c) => c.access)],
    }),
  }
  apply(graph, draft, kinds())
  graph.remove([], remove)
  return { ...result, reads: read(graph, main) }
})

/** Adds a draft to a graph as if a server had stored it. */
function apply(
  graph: Graph,
  { concepts, connections }: Draft,
  kinds: readonly (readonly [kind: string, type: string, value: string])[],
): void {
  let next = 10_000
  const typeId = (name: string): Id => {
    const known = graph.type(name)
    if (known !== undefined) return known
    const id = ++next
    graph.add({ concepts: [typeConcept(id, name)], connections: [] })
    return id
  }
  graph.add({
    concepts: concepts.map((c, i) => ({ ...c, type: typeId(kinds[i]?.[1] ?? '') })),
    connections,
  })
}

// The server rejects all malformed queries. The client rejects only those that it cannot execute locally, so the other
// cases are left out.
const queries = vectors('query').filter(({ given, invalid }) => !invalid || given.query.logic)
testArea('predicate', ({ given: { fold: text, sortKeys, op, text: to, values } }) => {
  if (text !== undefined) return foldCase(text)
  if (sortKeys)
    return sortKeys.map((value: string) => Buffer.from(sortKey(value), 'latin1').toString('hex'))
  const holds = valuePredicate(op, to)
  return values.filter((value: string) => holds(concept(1, 2, value)))
})
testArea('query', ({ given }) => answerOf(filtered, given), queries)
const plain = queries.filter(
  ({ given }) => !/"(logic|after|depth|aggregate|orderBy)":/.test(JSON.stringify(given.query)),
)
testArea('query', ({ given }) => answerOf(executeQuery, given), plain)

testArea('format', ({ given }) => {
  const graph = seed(given.graph)
  const counts = given.answer.counts.map((c: { type: string }) => ({
    ...c,
    type: graph.type(c.type),
  }))
  const answer = { ...given.answer, counts } as Answer
  return given.format === 'RAW'
    ? shapeRawAnswer(graph, answer)
    : shapeAnswer(graph, answer, given.format)
})

// Other clients may send records in other forms, which only the server interprets. These cases are left out.
describe('sync', () => {
  const clientCases = vectors('sync').filter(({ given }) => given.client)
  expect(clientCases).not.toEqual([])
  for (const { name, given } of clientCases)
    test(name, () => {
      const { concepts, connections } = given.client
      const mutation = { ...emptyMutation, concepts, connections }
      const { removeConcepts, removeConnections, atomic, ...request } = encodeSync(
        [mutation],
        new Graph(),
      )
      expectSame(request, given.request)
      expect([removeConcepts, removeConnections, atomic]).toEqual([[], [], true])
    })
})

const emptyMutation: Mutation = {
  key: 'k',
  kind: 'create',
  id: -1,
  at: '2025-01-02T03:04:05.678Z',
  concepts: [],
  connections: [],
  removeConcepts: [],
  removeConnections: [],
}

describe('error', () => {
  for (const { name, given, want } of vectors('error'))
    test(name, async () => {
      const server = createServer((_, response) => {
        response.writeHead(want.status, { 'Content-Type': 'application/json' })
        response.end(JSON.stringify(given))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const http = new Http(`http://127.0.0.1:${port}`, undefined)
      const refused = (await http.post('/', {}).catch((error) => error)) as WeftError
      expect(refused).toBeInstanceOf(WeftError)
      expect([refused.kind, refused.message]).toEqual([given.kind, given.message])
      http.close()
      server.close()
    })
})
