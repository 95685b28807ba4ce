import type { Client } from '../api.ts'
import type { Id } from '../graph/id.ts'
import { insideOf } from '../inside.ts'
import { button, element } from './element.ts'
import { graphPanel, type Place } from './graph.ts'
import { remember } from './history.ts'
import { leaderOf, messagesPanel } from './messages.ts'
import { historyPanel } from './moments.ts'
import { style } from './style.ts'
import { subscriptionsPanel } from './subscriptions.ts'
import { trace } from './trace.ts'
import { writesPanel } from './writes.ts'

export interface DevtoolsOptions {
  /** Where the overlay goes: the body of the page. */
  readonly parent?: HTMLElement
}

const names = ['Writes', 'Graph', 'Subscriptions', 'Messages', 'History'] as const
type Name = (typeof names)[number]

/**
 * Opens an overlay that shows what a client does: writes that wait, the graph, who watches what, messages and the
 * leading tab, and what changed since it opened, moment by moment. For developers: it shows all that the page may see.
 * Returns what closes it.
 */
export function openDevtools(client: Client, { parent = document.body }: DevtoolsOptions = {}) {
  const inside = insideOf(client)
  const host = element('div', { attributes: { 'data-weft-devtools': '' } })
  const root = host.attachShadow({ mode: 'open' })
  const body = element('section', { attributes: { role: 'tabpanel', tabindex: '0' } })
  const tabs = names.map((name) =>
    element(
      'button',
      { click: () => choose(name), attributes: { role: 'tab', type: 'button' } },
      name,
    ),
  )
  const field = element('input', {
    attributes: {
      name: 'id',
      'aria-label': 'Look up a concept by its id',
      placeholder: 'Concept id',
      size: '12',
    },
  })
  const form = element('form', {}, field, element('button', {}, 'Look up'))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    look(Number(field.value))
  })
  const list = element('div', { attributes: { role: 'tablist', 'aria-label': 'Weft' } }, ...tabs)
  list.addEventListener('keydown', walk)
  root.append(
    element('style', {}, style),
    element(
      'aside',
      { attributes: { 'aria-label': 'Weft devtools' } },
      element('header', {}, list, form, button('Close', close)),
      body,
    ),
  )

  let name: Name = 'Writes'
  let place: Place = { id: 0, moment: undefined }
  let leader = ''
  let drawing = false

  const history = remember(client, soon)
  const traced = trace(inside, soon)
  const unsubscribe = client.sync.subscribe(soon)
  parent.append(host)
  draw()
  const timer = setInterval(askLeader, 2_000)
  void askLeader()

  function draw(): void {
    drawing = false
    for (const [i, tab] of tabs.entries()) {
      const chosen = names[i] === name
      tab.setAttribute('aria-selected', String(chosen))
      tab.tabIndex = chosen ? 0 : -1
    }
    body.setAttribute('aria-label', name)
    const focused = controls().indexOf(root.activeElement as HTMLElement)
    body.replaceChildren(panel())
    if (focused >= 0) (controls()[focused] ?? body).focus()
  }

  function controls(): HTMLElement[] {
    return [...body.querySelectorAll<HTMLElement>('button, input')]
  }

  function panel(): HTMLElement {
    switch (name) {
      case 'Writes':
        return writesPanel(client)
      case 'Graph':
        return graphPanel(client, place, history, look)
      case 'Subscriptions':
        return subscriptionsPanel(client)
      case 'Messages':
        return messagesPanel(client, leader, traced.all)
      case 'History':
        return historyPanel(client, history, place.moment, travel, look)
    }
  }

  /** Draws at most once a frame. */
  function soon(): void {
    if (drawing) return
    drawing = true
    requestAnimationFrame(draw)
  }

  function choose(chosen: Name): void {
    name = chosen
    draw()
  }

  function look(id: Id): void {
    place = { ...place, id }
    field.value = String(id)
    choose('Graph')
  }

  function travel(moment: number | undefined): void {
    place = { ...place, moment }
    draw()
  }

  function walk(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const next = (names.indexOf(name) + step + names.length) % names.length
    choose(names[next] as Name)
    tabs[next]?.focus()
  }

  async function askLeader(): Promise<void> {
    const now = await leaderOf(inside.name)
    if (now === leader) return
    leader = now
    soon()
  }

  function close(): void {
    clearInterval(timer)
    unsubscribe()
    history.end()
    traced.end()
    host.remove()
  }

  return close
}
