import { addToSet } from '../../local/collections.ts'
import type { Graph } from '../../local/graph.ts'
import type { Watched } from '../../local/watchers.ts'
import type { Concept } from '../../model/concept.ts'
import type { Connection } from '../../model/connection.ts'
import { categoryInstance } from '../../model/fixed.ts'
import { collectInterests, type Interest } from '../../query/interest.ts'
import type { Predicate } from '../../query/predicate.ts'
import type { Answer, Query } from '../../query/query.ts'
import { comparisonKey, type Key } from '../../query/values.ts'
import { plainEngine } from '../engine.ts'

/**
 * Implements `Engine.dependencies`. When a value that the filters of the query may match is added or removed, listeners
 * of `key` are notified.
 */
export function dependencies(
  graph: Graph,
  query: Query,
  answer: Answer,
  key: string,
): Set<Watched> {
  let index = indexes.get(graph)
  if (!index) {
    index = new InterestIndex(graph)
    indexes.set(graph, index)
  }
  const interests = collectInterests(graph, query)
  index.add(key, interests)
  const ids = plainEngine.dependencies(graph, { ...query, type: '' }, answer).add(key)
  for (const { type } of interests) ids.add(String((type && graph.type(type)) || 0))
  return ids
}

const indexes = new WeakMap<Graph, InterestIndex>()

/**
 * Finds the queries that a changed record may affect. For each change, all filters for one value together cost a Map
 * look-up, and each other filter on the type of the record costs one test.
 */
class InterestIndex {
  readonly #graph: Graph
  readonly #keys = new Set<string>()
  /** When the index reaches this number of queries, those without listeners are removed. */
  #sweepAt = 100
  /** The queries that any change of a type affects, by the name of the type. */
  readonly #byType = new Map<string | undefined, Set<string>>()
  /** The queries with a filter for one value of a type. */
  readonly #byValue = new Map<string, Set<string>>()
  /** The queries with another filter on values of a type, by the test of the filter. */
  readonly #tests = new Map<string | undefined, Map<Predicate, string>>()

  constructor(graph: Graph) {
    this.#graph = graph
    graph.onRecordChanged = (c) => ('to' in c ? this.#onConnection(c) : this.#onConcept(c))
  }

  add(key: string, interests: readonly Interest[]): void {
    if (this.#keys.has(key)) return
    if (this.#keys.size >= this.#sweepAt) this.#sweep()
    this.#keys.add(key)
    for (const { type, holds, key: value } of interests) {
      addToSet(this.#byType, type, key)
      if (value !== undefined) addToSet(this.#byValue, valueName(type, value), key)
      else this.#addTest(type, holds, key)
    }
  }

  #addTest(type: string | undefined, holds: Predicate, key: string): void {
    const tests = this.#tests.get(type) ?? new Map<Predicate, string>()
    // Several queries may share a predicate, so each test is a separate function.
    this.#tests.set(
      type,
      tests.set((c) => holds(c), key),
    )
  }

  #onConnection(c: Connection): void {
    const type = this.#graph.concept(c.type)
    this.#notify(this.#byType.get(type?.value ?? ''))
    const end = type?.composition === false ? undefined : this.#graph.concept(c.to)
    if (end) this.#onConcept(end)
  }

  #onConcept(c: Concept): void {
    const type = this.#graph.concept(c.type)?.value
    if (c.category !== categoryInstance) this.#notify(this.#byType.get(c.value))
    if (this.#byType.has(type))
      this.#notify(this.#byValue.get(valueName(type, comparisonKey(c.value))))
    for (const tests of [this.#tests.get(type), this.#tests.get(undefined)]) {
      if (tests) this.#notify([...tests].flatMap(([holds, key]) => (holds(c) ? key : [])))
    }
  }

  #notify(keys: Iterable<string> = []): void {
    for (const key of keys) this.#graph.watchers.notify(key)
  }

  /** Removes the queries without listeners. */
  #sweep(): void {
    const { watchers } = this.#graph
    for (const key of this.#keys) if (!watchers.has(key)) this.#delete(key)
    this.#sweepAt = 2 * this.#keys.size + 100
  }

  #delete(key: string): void {
    this.#keys.delete(key)
    deleteFromSets(this.#byType, key)
    deleteFromSets(this.#byValue, key)
    for (const [type, tests] of this.#tests) {
      for (const [holds, queryKey] of tests) if (queryKey === key) tests.delete(holds)
      if (tests.size === 0) this.#tests.delete(type)
    }
  }
}

const valueName = (type: string | undefined, key: Key): string =>
  `${type}\0${typeof key}${key instanceof Date ? key.getTime() : key}`

function deleteFromSets<K>(sets: Map<K, Set<string>>, key: string): void {
  for (const [name, set] of sets) if (set.delete(key) && set.size === 0) sets.delete(name)
}
