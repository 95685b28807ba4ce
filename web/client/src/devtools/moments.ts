import type { Client } from '../api.ts'
import type { Id } from '../graph/id.ts'
import { button, clock, code, element, table } from './element.ts'
import type { History } from './history.ts'

/** What changed, moment by moment, and a way back to each. */
export function historyPanel(
  client: Client,
  history: History,
  moment: number | undefined,
  go: (moment: number | undefined) => void,
  look: (id: Id) => void,
): HTMLElement {
  const { moments } = history
  const last = moments.length - 1
  const chosen = moments[moment ?? last]
  const slider = element('input', {
    attributes: {
      type: 'range',
      min: '0',
      max: String(Math.max(last, 0)),
      value: String(moment ?? last),
      'aria-label': 'Moment',
    },
  })
  slider.addEventListener('input', () => go(Number(slider.value)))
  const rows = [...(chosen?.changes ?? [])].map(([id, then]) => [
    button(`${id} ${client.concept(client.concept(id)?.type ?? 0)?.value ?? ''}`, () => look(id)),
    then === undefined ? 'gone' : code(then),
  ])
  return element(
    'div',
    {},
    element(
      'p',
      {},
      slider,
      ` ${chosen ? clock(chosen.at) : ''} ${moment === undefined ? '(now)' : ''} `,
      moment !== undefined && button('Back to now', () => go(undefined)),
    ),
    table(['changed', 'to'], rows, 'Nothing has changed since this opened.'),
  )
}
