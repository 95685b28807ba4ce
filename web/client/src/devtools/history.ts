import type { Client } from '../api.ts'
import type { FieldValue } from '../composition/value.ts'
import type { Id } from '../graph/id.ts'
import { insideOf } from '../inside.ts'

/** What of the graph changed at once. */
interface Moment {
  readonly at: number
  /** What each of them was from then on; undefined when it was gone. */
  readonly changes: ReadonlyMap<Id, Seen>
}

type Seen = FieldValue | undefined

/** How many moments are remembered. */
const most = 500

/** Remembers what changes. Records are never edited, so that costs a reference each. */
export function remember(client: Client, told: () => void) {
  const { graph } = insideOf(client)
  const moments: Moment[] = []
  let touched = new Set<Id>()
  const before = graph.touched
  const note = (id: Id): void => {
    before(id)
    // Names of types are watched too, and what is nothing.
    if (typeof id !== 'number' || id === 0) return
    if (touched.size === 0) queueMicrotask(take)
    touched.add(graph.name(id))
  }
  graph.touched = note
  // Of what fills a graph that is empty it tells only who watches that.
  const { add } = graph
  graph.add = (records) => {
    const news = records.concepts.filter(({ id }) => !graph.known(id))
    add.call(graph, records)
    for (const { id } of news) note(id)
  }

  function take(): void {
    const ids = touched
    touched = new Set()
    const changes = new Map([...ids].map((id) => [id, seen(client, id)]))
    moments.push({ at: Date.now(), changes })
    if (moments.length > most) moments.shift()
    told()
  }

  return {
    moments: moments as readonly Moment[],
    /** What an id was at a moment, as far as it changed since this began. */
    at(index: number, id: Id): Seen | 'unchanged' {
      for (const { changes } of moments.slice(0, index + 1).toReversed())
        if (changes.has(id)) return changes.get(id)
      return 'unchanged'
    },
    end() {
      graph.add = add
      if (graph.touched === note) graph.touched = before
    },
  }
}

export type History = ReturnType<typeof remember>

/** A record, or the text of a value. */
export function seen(client: Client, id: Id): Seen {
  const concept = client.concept(id)
  return concept && (concept.composition ? client.record(id) : concept.value)
}
