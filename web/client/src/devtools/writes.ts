import type { Client } from '../api.ts'
import { describeWrite, type RecordSummary, type WriteDescription } from '../writes/index.ts'
import { button, element, table } from './element.ts'

/** The writes that wait, with what can be done about them. */
export function writesPanel(client: Client): HTMLElement {
  const { online, pending, failed, held, state, durable, needsToken } = client.sync.get()
  const said = [
    state,
    online ? 'online' : 'offline',
    durable ? 'kept on disk' : 'not kept on disk',
    needsToken && 'waits for a token',
    `${pending} pending, ${held} held, ${failed.length} failed`,
  ]
  const rows = client.sync.writes().map((write) => [
    ...words(describeWrite(client, write.key)),
    write.held ? `held by ${write.held}` : write.state,
    write.error?.message ?? '',
    write.at.slice(11, 23),
    element(
      'span',
      {},
      write.state === 'failed' && button('Retry', () => client.sync.retry(write.key)),
      button('Discard', () => void client.sync.discard(write.key)),
    ),
  ])
  return element(
    'div',
    {},
    element('p', {}, said.filter(Boolean).join(' · ')),
    table(
      ['write', 'record', 'what', 'state', 'refused because', 'made', ''],
      rows,
      'Nothing waits.',
    ),
  )
}

/** The kind of a write, what it is about, and what it writes. */
function words(said: WriteDescription | undefined): [string, string, string] {
  if (!said) return ['', '', '']
  const { kind, record, fields, relation = '', to } = said
  const values = fields.map(({ name, text }) => `${name}: ${text}`).join(', ')
  return [kind, nameOf(record), to ? `${relation} → ${nameOf(to)}` : values]
}

const nameOf = ({ id, type = '', title }: RecordSummary): string =>
  [id, type, title && `“${title}”`].filter(Boolean).join(' ')
