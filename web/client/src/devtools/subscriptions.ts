import type { Client } from '../api.ts'
import { insideOf } from '../inside.ts'
import { element, table } from './element.ts'

/** Which queries are live, and which concepts and types are watched. */
export function subscriptionsPanel(client: Client): HTMLElement {
  const { graph, queries } = insideOf(client)
  const live = [...queries.lives].map(([key, { get }]) => {
    const state = get()
    const rows = state.status === 'loading' ? '' : String(state.data?.length ?? 0)
    const complete = state.status === 'ready' && !state.complete ? 'ready, from here' : state.status
    const start = key.search(/[[{]/)
    return [key.slice(0, start), element('code', {}, key.slice(start)), complete, rows]
  })
  const watched = [...graph.watchers.byId]
    .filter(([id]) => id !== '\0')
    .map(([id, listeners]) => {
      const concept = typeof id === 'number' ? client.concept(id) : undefined
      const type = concept && client.concept(concept.type)?.value
      return [String(id), type ?? '', String(listeners.size)]
    })
  return element(
    'div',
    {},
    table(['format', 'query', 'state', 'rows'], live, 'No query is live.'),
    table(['concept or type', 'of type', 'watchers'], watched, 'Nothing is watched.'),
  )
}
