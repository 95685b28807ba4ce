import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { categoryInstance } from '../graph/fixed.ts'
import type { Graph } from '../local/graph.ts'
import { addTo } from '../local/sets.ts'
import type { Watched } from '../local/watchers.ts'
import { type Key, keyOf } from '../query/fold.ts'
import { type Interest, interestsOf } from '../query/interest.ts'
import type { Predicate } from '../query/predicate.ts'
import type { Answer, Query } from '../query/query.ts'
import { plain } from './engine.ts'

/** What must be watched for an answer to stay true. Of values that come and go the query is told by its key. */
export function interests(graph: Graph, query: Query, answer: Answer, key: string): Set<Watched> {
  let affected = all.get(graph)
  if (!affected) {
    affected = new Affected(graph)
    all.set(graph, affected)
  }
  const mine = interestsOf(graph, query)
  affected.add(key, mine)
  const ids = plain.interests(graph, { ...query, type: '' }, answer).add(key)
  for (const { type } of mine) ids.add(String((type && graph.type(type)) || 0))
  return ids
}

const all = new WeakMap<Graph, Affected>()

/** Which queries a change here may concern. Others cost it nothing. */
class Affected {
  readonly #graph: Graph
  readonly #keys = new Set<string>()
  /** With so many it is time to look which are still listened to. */
  #most = 100
  /** The queries interested in a type at all, by its name. */
  readonly #byType = new Map<string | undefined, Set<string>>()
  readonly #byValue = new Map<string, Set<string>>()
  readonly #tests = new Map<string | undefined, Map<Predicate, string>>()

  constructor(graph: Graph) {
    this.#graph = graph
    graph.changed = (c) => ('to' in c ? this.#connection(c) : this.#concept(c))
  }

  add(key: string, interests: readonly Interest[]): void {
    if (this.#keys.has(key)) return
    if (this.#keys.size >= this.#most) this.#sweep()
    this.#keys.add(key)
    for (const { type, holds, key: value } of interests) {
      addTo(this.#byType, type, key)
      if (value !== undefined) addTo(this.#byValue, valueName(type, value), key)
      else this.#test(type, holds, key)
    }
  }

  #test(type: string | undefined, holds: Predicate, key: string): void {
    const tests = this.#tests.get(type) ?? new Map<Predicate, string>()
    this.#tests.set(
      type,
      tests.set((c) => holds(c), key),
    )
  }

  #connection(c: Connection): void {
    const type = this.#graph.concept(c.type)
    this.#tell(this.#byType.get(type?.value ?? ''))
    const end = type?.composition === false ? undefined : this.#graph.concept(c.to)
    if (end) this.#concept(end)
  }

  #concept(c: Concept): void {
    const type = this.#graph.concept(c.type)?.value
    if (c.category !== categoryInstance) this.#tell(this.#byType.get(c.value))
    if (this.#byType.has(type)) this.#tell(this.#byValue.get(valueName(type, keyOf(c.value))))
    for (const tests of [this.#tests.get(type), this.#tests.get(undefined)]) {
      if (tests) this.#tell([...tests].flatMap(([holds, key]) => (holds(c) ? key : [])))
    }
  }

  #tell(keys: Iterable<string> = []): void {
    for (const key of keys) this.#graph.watchers.touch(key)
  }

  /** Forgets the queries that nobody listens to any more. */
  #sweep(): void {
    const { watchers } = this.#graph
    for (const key of this.#keys) if ([...watchers.of(key)].length === 0) this.#forget(key)
    this.#most = 2 * this.#keys.size + 100
  }

  #forget(key: string): void {
    this.#keys.delete(key)
    dropFrom(this.#byType, key)
    dropFrom(this.#byValue, key)
    for (const [type, tests] of this.#tests) {
      for (const [holds, of] of tests) if (of === key) tests.delete(holds)
      if (tests.size === 0) this.#tests.delete(type)
    }
  }
}

const valueName = (type: string | undefined, key: Key): string =>
  `${type}\0${typeof key}${key instanceof Date ? key.getTime() : key}`

function dropFrom<K>(sets: Map<K, Set<string>>, key: string): void {
  for (const [at, set] of sets) if (set.delete(key) && set.size === 0) sets.delete(at)
}
