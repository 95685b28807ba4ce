import type { Client } from '../api.ts'
import type { FieldValue } from '../composition/value.ts'
import { internalsOf } from '../internals.ts'
import type { Id } from '../model/id.ts'

/** The concepts that changed in one task. */
interface Moment {
  /** Time of the change, in milliseconds since 1970. */
  readonly at: number
  /** The new content of each concept; undefined if it was removed. */
  readonly changes: ReadonlyMap<Id, Content>
}

type Content = FieldValue | undefined

export interface ChangeHistory {
  readonly moments: readonly Moment[]
  /** Returns the content of a concept at a moment, or `unchanged` if it has not changed since the start. */
  contentAt(index: number, id: Id): Content | 'unchanged'
  stop(): void
}

/** Maximum number of moments; the oldest are dropped first. */
const maxMoments = 500

/** Records the changes of a graph. Records are immutable, so each change costs one reference. */
export function recordChanges(client: Client, onChange: () => void): ChangeHistory {
  const { graph } = internalsOf(client)
  const moments: Moment[] = []
  let changed = new Set<Id>()
  const originalListener = graph.onTouched
  const listener = (id: Id): void => {
    originalListener(id)
    // The graph also reports type names and id 0.
    if (typeof id !== 'number' || id === 0) return
    if (changed.size === 0) queueMicrotask(addMoment)
    changed.add(graph.canonical(id))
  }
  graph.onTouched = listener
  // While an empty graph is filled, it reports only watched ids.
  const { add } = graph
  graph.add = (records) => {
    const created = records.concepts.filter(({ id }) => !graph.knownConcept(id))
    add.call(graph, records)
    for (const { id } of created) listener(id)
  }

  function addMoment(): void {
    const ids = changed
    changed = new Set()
    const changes = new Map([...ids].map((id) => [id, contentOf(client, id)]))
    moments.push({ at: Date.now(), changes })
    if (moments.length > maxMoments) moments.shift()
    onChange()
  }

  return {
    moments,
    contentAt(index, id) {
      for (const { changes } of moments.slice(0, index + 1).toReversed())
        if (changes.has(id)) return changes.get(id)
      return 'unchanged'
    },
    stop() {
      graph.add = add
      if (graph.onTouched === listener) graph.onTouched = originalListener
    },
  }
}

/** Returns the fields of a record or the text of a value. */
export function contentOf(client: Client, id: Id): Content {
  const concept = client.concept(id)
  return concept && (concept.composition ? client.record(id) : concept.value)
}
