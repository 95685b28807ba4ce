import { compose } from '../stored/compose.ts'
import { applyCss } from '../stored/stylesheets.ts'
import type { CodePart, WidgetTree } from '../stored/widget-tree.ts'
import { Libraries } from '../widget/libraries.ts'
import { type FromFrame, protocolVersion, type Theme, type ToFrame } from '../widget/protocol.ts'
import { type HookFunction, type Runtime, setProps } from '../widget/runtime.ts'
import { startTree } from '../widget/start-tree.ts'
import { PendingCalls } from './pending-calls.ts'

/**
 * The frame's side of the bridge protocol (widget/protocol.ts): runs one widget tree and exchanges messages with the
 * page.
 */
export class FrameBridge {
  readonly #port: MessagePort
  readonly #calls = new PendingCalls((message) => this.#send(message))
  /** Undefined until the page has sent `start`. */
  #runtime: Runtime | undefined

  constructor(port: MessagePort) {
    this.#port = port
    port.onmessage = ({ data }) => this.#receive(JSON.parse(data) as ToFrame)
    addEventListener('click', (event) => this.#preventNavigation(event))
  }

  /**
   * Reports a click on a link instead of following the link, because navigating the frame would remove the widget.
   * Clicks that the widget's code handles itself, and links within the document, work as usual.
   */
  #preventNavigation(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null
    const target = link?.getAttribute('href') ?? ''
    if (link === null || target.startsWith('#') || event.defaultPrevented) return
    event.preventDefault()
    this.#send({
      kind: 'failed',
      part: 'link',
      message: `a widget in a frame cannot follow the link to ${target}`,
    })
  }

  #send(message: FromFrame): void {
    this.#port.postMessage(JSON.stringify(message))
  }

  #receive(message: ToFrame): void {
    switch (message.kind) {
      case 'ping':
        this.#send({ kind: 'pong' })
        break
      case 'start':
        void this.#start(message)
        break
      case 'props':
        if (this.#runtime) setProps(this.#runtime, message.props)
        break
      case 'theme':
        applyTheme(message.theme)
        break
      case 'answer':
        this.#calls.resolve(message.call, message.value)
        break
      case 'refusal':
        this.#calls.reject(message.call, message.message)
    }
  }

  async #start(start: ToFrame & { kind: 'start' }): Promise<void> {
    if (start.version !== protocolVersion) {
      const message = `the page uses protocol version ${start.version}, the frame ${protocolVersion}`
      this.#send({ kind: 'failed', part: 'frame', message })
      return
    }
    const { widget, props, theme } = start
    applyTheme(theme)
    const runtime = this.#createRuntime(props)
    this.#runtime = runtime
    const host = drawStaticView(runtime, widget)
    const neverAborted = new AbortController().signal
    await runtime.startTree(widget, host, { wrapper: '', path: '' }, neverAborted)
    this.#send({ kind: 'ready' })
    new ResizeObserver(() => {
      this.#send({ kind: 'height', height: host.getBoundingClientRect().height })
    }).observe(host)
  }

  #createRuntime(props: unknown): Runtime {
    const onNotify = (value: unknown) => this.#send({ kind: 'notify', value })
    const tsccs = { ...this.#calls.functions, notify: onNotify }
    const runtime: Runtime = {
      props,
      runningWidgets: new Set(),
      libraries: new Libraries(),
      restoredStates: new Map(),
      savedStates: new Map(),
      tsccs: async () => tsccs,
      runsHere: () => true,
      loadHook: compileHook,
      makeView: (widget) => compose(widget, parseHtml),
      startTree: (widget, host, position, signal) =>
        startTree(widget, host, runtime, position, signal),
      onError: (part, { message }) => this.#send({ kind: 'failed', part, message }),
      onNotify,
    }
    return runtime
  }
}

/**
 * Draws the view of the widget tree before its code starts. The server has sanitised the HTML of widgets without code.
 */
function drawStaticView(runtime: Runtime, widget: WidgetTree): HTMLElement {
  const { id, html, css } = runtime.makeView(widget)
  const host = document.createElement('div')
  host.setAttribute('data-widget', String(id))
  host.innerHTML = html
  applyCss(css)
  // Makes the height include the margins of the first and the last element.
  host.style.display = 'flow-root'
  document.body.style.margin = '0'
  document.body.replaceChildren(host)
  return host
}

function parseHtml(html: string): DocumentFragment {
  const template = document.createElement('template')
  template.innerHTML = html
  return template.content
}

function applyTheme(theme: Theme): void {
  const { style } = document.documentElement
  document.documentElement.setAttribute('data-theme', theme.scheme)
  style.colorScheme = theme.scheme
  style.color = theme.color
  style.fontFamily = theme.fontFamily
  style.fontSize = theme.fontSize
  style.lineHeight = theme.lineHeight
}

async function compileHook({ code }: WidgetTree, part: CodePart): Promise<HookFunction> {
  const text = part === 'functions' ? code?.functions.map((f) => f.code).join('\n') : code?.[part]
  return new AsyncFunction('tsccs', text ?? '')
}

const AsyncFunction = (async () => {}).constructor as new (...texts: string[]) => HookFunction
