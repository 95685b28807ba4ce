import type { Client } from '../api.ts'
import type { Connection, Direction } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'
import { insideOf } from '../inside.ts'
import { button, code, element, table } from './element.ts'
import { type History, seen } from './history.ts'

/** What a reader looks at: a concept, as it is or as it was. */
export interface Place {
  readonly id: Id
  /** The index of a moment; undefined means now. */
  readonly moment: number | undefined
}

/** The most connections that are listed each way. */
const most = 100

/** One concept, its record, and the ways from it to others. */
export function graphPanel(
  client: Client,
  { id, moment }: Place,
  history: History,
  go: (id: Id) => void,
): HTMLElement {
  const { graph } = insideOf(client)
  const concept = client.concept(id)
  const was = moment === undefined ? 'unchanged' : history.at(moment, id)
  const name = (id: Id): string => {
    const { type, value = '' } = client.concept(id) ?? {}
    const of = type === undefined ? 'not here' : client.concept(type)?.value
    return `${id} ${of ?? ''} ${value.slice(0, 40)}`
  }
  const way = (connections: readonly Connection[], direction: Direction): HTMLElement =>
    table(
      [direction === 'out' ? 'target' : 'source', 'by', 'connection'],
      connections.slice(0, most).map((c) => {
        const other = direction === 'out' ? c.to : c.from
        return [
          button(name(other), () => go(other)),
          client.concept(c.type)?.value || 'inside',
          `${c.id}`,
        ]
      }),
      direction === 'out' ? 'Nothing leaves it.' : 'Nothing arrives at it.',
    )
  return element(
    'div',
    {},
    element('p', {}, concept ? name(id) : `Concept ${id} is not here.`),
    was === 'unchanged'
      ? code(seen(client, id))
      : element('div', {}, element('p', {}, 'Then:'), code(was), 'Now:', code(seen(client, id))),
    concept && code({ ...concept, real: graph.real(id), state: client.pending(id) ?? 'synced' }),
    way(graph.out(id), 'out'),
    way(graph.in(id), 'in'),
  )
}
