import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { build, type Draft, type TypeInUse } from '../src/composition/build.ts'
import { patch } from '../src/composition/patch.ts'
import { read } from '../src/composition/read.ts'
import { WeftError } from '../src/graph/error.ts'
import type { Id } from '../src/graph/id.ts'
import type { Mutation } from '../src/graph/mutation.ts'
import { splitType, typeChain, withoutPrefix, withPrefix } from '../src/graph/type.ts'
import { Graph } from '../src/local/graph.ts'
import { run as filtered } from '../src/query/filtered.ts'
import { fold } from '../src/query/fold.ts'
import { format } from '../src/query/format.ts'
import { byValue } from '../src/query/predicate.ts'
import type { Answer } from '../src/query/query.ts'
import { raw } from '../src/query/raw.ts'
import { run } from '../src/query/run.ts'
import { patchInside } from '../src/records/change.ts'
import { Http } from '../src/wire/http.ts'
import { syncOf } from '../src/wire/sync.ts'
import {
  type Case,
  concept,
  nested,
  queried,
  refusal,
  seed,
  typeConcept,
  vectors,
} from './vectors.ts'

/** Runs a rule over the cases of an area. */
function each(area: string, rule: (c: Case) => unknown, cases = vectors(area)): void {
  describe(area, () => {
    for (const c of cases)
      test(c.name, () => {
        if (c.invalid) expect(refusal(() => rule(c))).toBe(c.invalid)
        else same(rule(c), c.want)
      })
  })
}

/** Compares the order of keys as well. */
function same(got: unknown, want: unknown): void {
  expect(got ?? null).toEqual(want)
  expect(JSON.stringify(got ?? null)).toBe(JSON.stringify(want))
}

each('type', ({ given: name }) => ({
  chain: typeChain(name),
  withPrefix: withPrefix(name),
  withoutPrefix: withoutPrefix(name),
  ...splitType(name),
}))

each('build', ({ given }) => {
  const [draft, kinds] = countDown()
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

/** A draft whose types are the ids from 20,001 on, as mentioned first, and what became of its concepts. */
function countDown(): [draft: Draft, kinds: () => [kind: string, type: string, value: string][]] {
  let [concepts, connections] = [0, 0]
  const types = new Map<string, TypeInUse>()
  const draft: Draft = {
    types: [],
    concepts: [],
    connections: [],
    ghosts: { concept: () => --concepts, connection: () => --connections },
    typeOf(value, { created }) {
      const type = types.get(value) ?? typeAt(20_001 + types.size, value, created)
      types.set(value, type)
      return type
    },
    real: (id) => id,
    order: 1,
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
  leaf: undefined,
  leaves: undefined,
})

each('read', ({ given }) => read(seed(given.graph), given.id, given.shape))

each('patch', ({ given }) => {
  const graph = seed(given.graph)
  const { main, changes, of } = given
  const [draft, kinds] = countDown()
  const remove =
    of === undefined
      ? patch(graph, main, changes, draft)
      : patchInside(graph, main, of, changes, draft)
  const end = (id: Id) => (id < 0 ? `#${-1 - id}` : String(id))
  const got = {
    concepts: kinds(),
    connections: draft.connections.map((c) => [end(c.from), end(c.to)]),
    remove,
  }
  apply(graph, draft, kinds())
  graph.drop([], remove)
  return { ...got, reads: read(graph, main) }
})

/** Adds a draft to a graph as if a server had taken it. */
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

// Most of what makes a query one that nobody can run is for the server to say: it is asked whenever there is a
// network. What no evaluation can make sense of is refused here too.
const queries = vectors('query').filter(({ given, invalid }) => !invalid || given.query.logic)
each('predicate', ({ given: { fold: text, op, text: to, values } }) => {
  if (text !== undefined) return fold(text)
  const holds = byValue(op, to)
  return values.filter((value: string) => holds(concept(1, 2, value)))
})
each('query', ({ given }) => queried(filtered, given), queries)
const plain = queries.filter(
  ({ given }) => !/"(logic|after|depth|aggregate)":/.test(JSON.stringify(given.query)),
)
each('query', ({ given }) => queried(run, given), plain)

each('format', ({ given }) => {
  const graph = seed(given.graph)
  const counts = given.answer.counts.map((c: { type: string }) => ({
    ...c,
    type: graph.type(c.type),
  }))
  const answer = { ...given.answer, counts } as Answer
  return given.format === 'RAW' ? raw(graph, answer) : format(graph, answer, given.format)
})

// Not every record was written by this client: what the others mean is for the server to say.
describe('sync', () => {
  const ours = vectors('sync').filter(({ given }) => given.client)
  expect(ours).not.toEqual([])
  for (const { name, given } of ours)
    test(name, () => {
      const { concepts, connections } = given.client
      const mutation = { ...empty, concepts, connections }
      const { removeConcepts, removeConnections, ...request } = syncOf([mutation], new Graph())
      same(request, given.request)
      expect([removeConcepts, removeConnections]).toEqual([[], []])
    })
})

const empty: Mutation = {
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
      const server = createServer((_, answer) => {
        answer.writeHead(want.status, { 'Content-Type': 'application/json' })
        answer.end(JSON.stringify(given))
      })
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
      const { port } = server.address() as AddressInfo
      const http = new Http(`http://127.0.0.1:${port}`, undefined)
      const refused = (await http.post('/', {}).catch((error) => error)) as WeftError
      expect(refused).toBeInstanceOf(WeftError)
      expect([refused.kind, refused.message]).toEqual([given.kind, given.message])
      http.close()
      server.close()
    })
})
