import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import type { Connection, Direction } from '../model/connection.ts'
import type { Id } from '../model/id.ts'
import { type ChangeHistory, contentOf } from './change-history.ts'
import { button, code, element, table } from './element.ts'

/** The concept and the moment that are shown. */
export interface Place {
  readonly id: Id
  /** Index of the moment; undefined for now. */
  readonly moment: number | undefined
}

/** Maximum number of connections listed in each direction. */
const maxConnections = 100

/** Creates the panel with one concept, its content and its connections. */
export function graphPanel(
  client: Client,
  { id, moment }: Place,
  history: ChangeHistory,
  showConcept: (id: Id) => void,
): HTMLElement {
  const { graph } = internalsOf(client)
  const concept = client.concept(id)
  const contentThen = moment === undefined ? 'unchanged' : history.contentAt(moment, id)
  const label = (id: Id): string => {
    const { type, value = '' } = client.concept(id) ?? {}
    const typeName = type === undefined ? 'not loaded' : client.concept(type)?.value
    return `${id} ${typeName ?? ''} ${value.slice(0, 40)}`
  }
  const connectionTable = (connections: readonly Connection[], direction: Direction): HTMLElement =>
    table(
      [direction === 'out' ? 'target' : 'source', 'by', 'connection'],
      connections.slice(0, maxConnections).map((c) => {
        const other = direction === 'out' ? c.to : c.from
        return [
          button(label(other), () => showConcept(other)),
          client.concept(c.type)?.value || 'inside',
          `${c.id}`,
        ]
      }),
      direction === 'out' ? 'No outgoing connections.' : 'No incoming connections.',
    )
  return element(
    'div',
    {},
    element('p', {}, concept ? label(id) : `Concept ${id} is not loaded.`),
    contentThen === 'unchanged'
      ? code(contentOf(client, id))
      : element(
          'div',
          {},
          element('p', {}, 'Then:'),
          code(contentThen),
          'Now:',
          code(contentOf(client, id)),
        ),
    concept && code({ ...concept, real: graph.real(id), state: client.pending(id) ?? 'synced' }),
    connectionTable(graph.out(id), 'out'),
    connectionTable(graph.in(id), 'in'),
  )
}
