import { compose } from '../page/compose.ts'
import { adopt } from '../page/sheet.ts'
import type { Part, Widget } from '../page/widget.ts'
import { bring } from '../widget/bring.ts'
import { Libraries } from '../widget/libraries.ts'
import { type FromFrame, type Theme, type ToFrame, version } from '../widget/protocol.ts'
import { give, type Hook, type Surroundings } from '../widget/surroundings.ts'
import { Questions } from './questions.ts'

/** A widget in its frame, and its side of the port to the page. */
export class Inside {
  readonly #port: MessagePort
  readonly #questions = new Questions((message) => this.#tell(message))
  #around: Surroundings | undefined

  constructor(port: MessagePort) {
    this.#port = port
    port.onmessage = ({ data }) => this.#hear(JSON.parse(data) as ToFrame)
    addEventListener('click', (event) => this.#stay(event))
  }

  /** No page shows in a frame: who followed a link would find the widget gone. What code does with it is its own. */
  #stay(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null
    const to = link?.getAttribute('href') ?? ''
    if (link === null || to.startsWith('#') || event.defaultPrevented) return
    event.preventDefault()
    this.#tell({
      kind: 'failed',
      part: 'link',
      message: `a widget in a frame does not lead to ${to}`,
    })
  }

  #tell(message: FromFrame): void {
    this.#port.postMessage(JSON.stringify(message))
  }

  #hear(message: ToFrame): void {
    switch (message.kind) {
      case 'ping':
        this.#tell({ kind: 'pong' })
        break
      case 'start':
        void this.#start(message)
        break
      case 'props':
        if (this.#around) give(this.#around, message.props)
        break
      case 'theme':
        wear(message.theme)
        break
      case 'answer':
        this.#questions.answer(message.call, message.value)
        break
      case 'refusal':
        this.#questions.refuse(message.call, message.message)
    }
  }

  async #start(start: ToFrame & { kind: 'start' }): Promise<void> {
    if (start.version !== version) {
      const message = `the page speaks version ${start.version}, the frame ${version}`
      this.#tell({ kind: 'failed', part: 'frame', message })
      return
    }
    const { widget, props, theme } = start
    wear(theme)
    const around = this.#surroundings(props)
    this.#around = around
    const host = draw(around, widget)
    const alive = new AbortController().signal
    await around.bring(widget, host, { wrapper: '', path: '' }, alive)
    this.#tell({ kind: 'ready' })
    new ResizeObserver(() => {
      this.#tell({ kind: 'height', height: host.getBoundingClientRect().height })
    }).observe(host)
  }

  #surroundings(props: unknown): Surroundings {
    const notified = (value: unknown) => this.#tell({ kind: 'notify', value })
    const tsccs = { ...this.#questions.calls, notify: notified }
    const around: Surroundings = {
      props,
      live: new Set(),
      libraries: new Libraries(),
      before: new Map(),
      after: new Map(),
      tsccs: async () => tsccs,
      runsHere: () => true,
      hook: compile,
      view: (widget) => compose(widget, elements),
      bring: (widget, host, at, signal) => bring(widget, host, around, at, signal),
      failed: (part, { message }) => this.#tell({ kind: 'failed', part, message }),
      notified,
    }
    return around
  }
}

/** Shows the first paint of a widget. The server has cleaned what does not run. */
function draw(around: Surroundings, widget: Widget): HTMLElement {
  const { id, html, css } = around.view(widget)
  const host = document.createElement('div')
  host.setAttribute('data-widget', String(id))
  host.innerHTML = html
  adopt(css)
  // What hangs out of the last and the first element counts as height.
  host.style.display = 'flow-root'
  document.body.style.margin = '0'
  document.body.replaceChildren(host)
  return host
}

function elements(html: string): DocumentFragment {
  const template = document.createElement('template')
  template.innerHTML = html
  return template.content
}

function wear(theme: Theme): void {
  const { style } = document.documentElement
  document.documentElement.setAttribute('data-theme', theme.scheme)
  style.colorScheme = theme.scheme
  style.color = theme.color
  style.fontFamily = theme.fontFamily
  style.fontSize = theme.fontSize
  style.lineHeight = theme.lineHeight
}

async function compile({ code }: Widget, part: Part): Promise<Hook> {
  const text = part === 'functions' ? code?.functions.map((f) => f.code).join('\n') : code?.[part]
  return new AsyncFunction('tsccs', text ?? '')
}

const AsyncFunction = (async () => {}).constructor as new (...texts: string[]) => Hook
