import type { Client } from '../api.ts'
import type { Id } from '../model/id.ts'
import type { ChangeHistory } from './change-history.ts'
import { button, code, element, formatTime, table } from './element.ts'

interface HistoryActions {
  showMoment(moment: number | undefined): void
  showConcept(id: Id): void
}

/** Creates the panel with the changes of one moment, and a slider to choose it. */
export function historyPanel(
  client: Client,
  history: ChangeHistory,
  moment: number | undefined,
  { showMoment, showConcept }: HistoryActions,
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
  slider.addEventListener('input', () => showMoment(Number(slider.value)))
  const rows = [...(chosen?.changes ?? [])].map(([id, content]) => [
    button(`${id} ${client.concept(client.concept(id)?.type ?? 0)?.value ?? ''}`, () =>
      showConcept(id),
    ),
    content === undefined ? 'removed' : code(content),
  ])
  return element(
    'div',
    {},
    element(
      'p',
      {},
      slider,
      ` ${chosen ? formatTime(chosen.at) : ''} ${moment === undefined ? '(now)' : ''} `,
      moment !== undefined && button('Back to now', () => showMoment(undefined)),
    ),
    table(['changed', 'to'], rows, 'No changes since the developer tools were opened.'),
  )
}
