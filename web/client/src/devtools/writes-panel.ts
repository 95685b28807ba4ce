import type { Client } from '../api.ts'
import { describeWrite, type RecordSummary, type WriteDescription } from '../writes/index.ts'
import { button, element, table } from './element.ts'

/** Creates the panel with the pending writes and their actions. */
export function writesPanel(client: Client): HTMLElement {
  const { online, pending, failed, held, state, durable, needsToken } = client.sync.get()
  const status = [
    state,
    online ? 'online' : 'offline',
    durable ? 'durable' : 'not durable',
    needsToken && 'waits for a token',
    `${pending} pending, ${held} held, ${failed.length} failed`,
  ]
  const rows = client.sync.writes().map((write) => [
    ...summarize(describeWrite(client, write.key)),
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
    element('p', {}, status.filter(Boolean).join(' · ')),
    table(
      ['write', 'record', 'change', 'state', 'error', 'created', ''],
      rows,
      'No pending writes.',
    ),
  )
}

/** Returns the kind, the record and the change of a write as strings. */
function summarize(write: WriteDescription | undefined): [string, string, string] {
  if (!write) return ['', '', '']
  const { kind, record, fields, relation = '', to } = write
  const values = fields.map(({ name, text }) => `${name}: ${text}`).join(', ')
  return [kind, formatRecord(record), to ? `${relation} → ${formatRecord(to)}` : values]
}

const formatRecord = ({ id, type = '', title }: RecordSummary): string =>
  [id, type, title && `“${title}”`].filter(Boolean).join(' ')
