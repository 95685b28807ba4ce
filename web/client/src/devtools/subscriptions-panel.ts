import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import { element, table } from './element.ts'

/** Creates the panel with the live queries and the watched concepts and types. */
export function subscriptionsPanel(client: Client): HTMLElement {
  const { graph, queries } = internalsOf(client)
  const live = [...queries.active].map(([key, query]) => {
    const state = query.get()
    const rows = state.status === 'loading' ? '' : String(state.data?.length ?? 0)
    const status = state.status === 'ready' && !state.complete ? 'ready, local' : state.status
    const start = key.search(/[[{]/)
    return [key.slice(0, start), element('code', {}, key.slice(start)), status, rows]
  })
  const watched = [...graph.watchers.byId]
    // The key of the outbox, which has no concept.
    .filter(([id]) => id !== '\0')
    .map(([id, listeners]) => {
      const concept = typeof id === 'number' ? client.concept(id) : undefined
      const type = concept && client.concept(concept.type)?.value
      return [String(id), type ?? '', String(listeners.size)]
    })
  return element(
    'div',
    {},
    table(['format', 'query', 'state', 'rows'], live, 'No live queries.'),
    table(['concept or type', 'of type', 'watchers'], watched, 'No watchers.'),
  )
}
