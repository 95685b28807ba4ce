import type { Client } from '../api.ts'
import { type Internals, internalsOf } from '../internals.ts'
import type { Id } from '../model/id.ts'
import { type ChangeHistory, recordChanges } from './change-history.ts'
import { button, element } from './element.ts'
import { graphPanel, type Place } from './graph-panel.ts'
import { historyPanel } from './history-panel.ts'
import { type MessageTrace, traceMessages } from './message-trace.ts'
import { describeLeader, messagesPanel } from './messages-panel.ts'
import { style } from './style.ts'
import { subscriptionsPanel } from './subscriptions-panel.ts'
import { writesPanel } from './writes-panel.ts'

/*
 * A developer overlay. `open.ts` draws the frame and the chosen panel; each `*-panel.ts` returns the elements of one
 * tab.
 *
 *   change-history.ts   records every change of the graph: one reference per changed record
 *   message-trace.ts    records requests and messages between tabs
 *
 * Every change redraws the chosen panel, at most once per frame. Before the overlay is opened, nothing is recorded.
 */

export interface DevtoolsOptions {
  /** Parent of the overlay. Default: the body of the page. */
  readonly parent?: HTMLElement
}

const panelNames = ['Writes', 'Graph', 'Subscriptions', 'Messages', 'History'] as const
type PanelName = (typeof panelNames)[number]

/** Interval at which the leader tab is determined, in milliseconds. */
const leaderInterval = 2_000

/**
 * Opens an overlay that shows the state of a client: pending writes, the graph, live queries and watchers, messages and
 * the leader tab, and the changes since it was opened. For developers: it shows everything that the page can read.
 * Returns a function that closes it.
 */
export function openDevtools(
  client: Client,
  { parent = document.body }: DevtoolsOptions = {},
): () => void {
  const devtools = new Devtools(client)
  parent.append(devtools.host)
  devtools.start()
  return devtools.close
}

class Devtools {
  readonly host = element('div', { attributes: { 'data-weft-devtools': '' } })
  readonly #client: Client
  readonly #internals: Internals
  readonly #root: ShadowRoot
  readonly #panel = element('section', { attributes: { role: 'tabpanel', tabindex: '0' } })
  readonly #tabs: readonly HTMLButtonElement[]
  readonly #idField = element('input', {
    attributes: {
      name: 'id',
      'aria-label': 'Look up a concept by its id',
      placeholder: 'Concept id',
      size: '12',
    },
  })
  readonly #history: ChangeHistory
  readonly #trace: MessageTrace
  readonly #unsubscribe: () => void
  #leaderTimer: ReturnType<typeof setInterval> | undefined
  #panelName: PanelName = 'Writes'
  #place: Place = { id: 0, moment: undefined }
  #leader = ''
  #isDrawScheduled = false

  constructor(client: Client) {
    this.#client = client
    this.#internals = internalsOf(client)
    this.#root = this.host.attachShadow({ mode: 'open' })
    this.#tabs = panelNames.map((name) => this.#createTab(name))
    this.#root.append(element('style', {}, style), this.#createFrame())
    this.#history = recordChanges(client, this.#drawSoon)
    this.#trace = traceMessages(this.#internals, this.#drawSoon)
    this.#unsubscribe = client.sync.subscribe(this.#drawSoon)
  }

  start(): void {
    this.#draw()
    this.#leaderTimer = setInterval(() => void this.#updateLeader(), leaderInterval)
    void this.#updateLeader()
  }

  readonly close = (): void => {
    clearInterval(this.#leaderTimer)
    this.#unsubscribe()
    this.#history.stop()
    this.#trace.stop()
    this.host.remove()
  }

  #createTab(name: PanelName): HTMLButtonElement {
    const attributes = { role: 'tab', type: 'button' }
    return element('button', { click: () => this.#choose(name), attributes }, name)
  }

  #createFrame(): HTMLElement {
    const form = element('form', {}, this.#idField, element('button', {}, 'Look up'))
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.#showConcept(Number(this.#idField.value))
    })
    const attributes = { role: 'tablist', 'aria-label': 'Weft' }
    const tabList = element('div', { attributes }, ...this.#tabs)
    tabList.addEventListener('keydown', (event) => this.#moveBetweenTabs(event))
    return element(
      'aside',
      { attributes: { 'aria-label': 'Weft devtools' } },
      element('header', {}, tabList, form, button('Close', this.close)),
      this.#panel,
    )
  }

  /** Redraws the panel and restores the focus in it. */
  #draw(): void {
    this.#isDrawScheduled = false
    for (const [i, tab] of this.#tabs.entries()) {
      const isChosen = panelNames[i] === this.#panelName
      tab.setAttribute('aria-selected', String(isChosen))
      tab.tabIndex = isChosen ? 0 : -1
    }
    this.#panel.setAttribute('aria-label', this.#panelName)
    const focused = this.#controls().indexOf(this.#root.activeElement as HTMLElement)
    this.#panel.replaceChildren(this.#createPanel())
    if (focused >= 0) (this.#controls()[focused] ?? this.#panel).focus()
  }

  #controls(): HTMLElement[] {
    return [...this.#panel.querySelectorAll<HTMLElement>('button, input')]
  }

  #createPanel(): HTMLElement {
    switch (this.#panelName) {
      case 'Writes':
        return writesPanel(this.#client)
      case 'Graph':
        return graphPanel(this.#client, this.#place, this.#history, this.#showConcept)
      case 'Subscriptions':
        return subscriptionsPanel(this.#client)
      case 'Messages':
        return messagesPanel(this.#client, this.#leader, this.#trace.messages)
      case 'History':
        return historyPanel(this.#client, this.#history, this.#place.moment, {
          showMoment: this.#showMoment,
          showConcept: this.#showConcept,
        })
    }
  }

  /** Redraws with the next frame. */
  readonly #drawSoon = (): void => {
    if (this.#isDrawScheduled) return
    this.#isDrawScheduled = true
    requestAnimationFrame(() => this.#draw())
  }

  #choose(name: PanelName): void {
    this.#panelName = name
    this.#draw()
  }

  readonly #showConcept = (id: Id): void => {
    this.#place = { ...this.#place, id }
    this.#idField.value = String(id)
    this.#choose('Graph')
  }

  readonly #showMoment = (moment: number | undefined): void => {
    this.#place = { ...this.#place, moment }
    this.#draw()
  }

  #moveBetweenTabs(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const { length } = panelNames
    const next = (panelNames.indexOf(this.#panelName) + step + length) % length
    this.#choose(panelNames[next] as PanelName)
    this.#tabs[next]?.focus()
  }

  async #updateLeader(): Promise<void> {
    const leader = await describeLeader(this.#internals.name)
    if (leader === this.#leader) return
    this.#leader = leader
    this.#drawSoon()
  }
}
