import type { WidgetTree } from '../stored/widget-tree.ts'
import { errorBox } from './error-box.ts'
import {
  type FromFrame,
  greeting,
  protocolVersion,
  readFromFrame,
  type ToFrame,
} from './protocol.ts'
import { themeAt, watchTheme } from './theme.ts'

/** The dependencies of a frame on the page around it. */
export interface FrameOptions {
  /** Origin of the server. */
  readonly url: string
  readonly props: unknown
  /** Runs a call of the frame; rejects when the call is refused. */
  readonly runCall: (name: string, args: readonly unknown[]) => Promise<unknown>
  readonly onNotify: (value: unknown) => void
  /** Called with every error; `part` is the name of the failed part of the widget, or `frame` for a violation. */
  readonly onError: (part: string, error: Error) => void
}

/**
 * The states of a sandbox frame:
 *
 *   loading ──load event──▶ starting ──`ready`──▶ ready
 *      │  ▲                     │                   │
 *      │  │                     └────violation──────┤
 *      │  └─────"Start again"──────── stopped ◀─────┘
 *      └────────load timeout─────────────▲
 *
 *   loading    the iframe loads its document; the host still shows the static HTML
 *   starting   the port and `start` are sent; the pong timer runs
 *   ready      the widget has drawn itself; the static HTML is removed
 *   stopped    removed after a violation of the protocol (see protocol.ts), or because its document did not load; the
 *              host shows an error box
 *   ended      removed by `end()`, which is possible in every state and final
 */
type Status = 'loading' | 'starting' | 'ready' | 'stopped' | 'ended'

/** A frame is removed when it has been in the document for this many seconds without a load event. */
const loadTimeoutSeconds = 30
/** A frame is removed after this many seconds without a pong. */
const pongTimeoutSeconds = 5
/** Number of messages that a frame may send per second on average. */
const maxMessagesPerSecond = 200
/** Number of messages that a frame may send at once, in addition to the average rate. */
const maxMessageBurst = 5 * maxMessagesPerSecond
/** Maximum height of a frame, in CSS pixels. */
const maxHeight = 10_000

/**
 * Runs a widget and all its children in a sandboxed iframe inside `host`. It is the page's side of the bridge protocol
 * (protocol.ts).
 */
export class SandboxFrame {
  readonly #widget: WidgetTree
  readonly #host: HTMLElement
  readonly #options: FrameOptions
  #props: unknown
  #status: Status = 'loading'
  #connection: Connection

  constructor(widget: WidgetTree, host: HTMLElement, options: FrameOptions) {
    this.#widget = widget
    this.#host = host
    this.#options = options
    this.#props = options.props
    this.#connection = this.#load()
  }

  setProps(props: unknown): void {
    this.#props = props
    this.#send({ kind: 'props', props })
  }

  end(): void {
    if (this.#status !== 'stopped') this.#connection.close()
    this.#status = 'ended'
  }

  #load(): Connection {
    const staticNodes = Array.from(this.#host.childNodes)
    const { port1, port2 } = new MessageChannel()
    const element = createIframe(this.#widget, this.#options.url)
    const connection = new Connection(element, port1, staticNodes)
    const timer = setInterval(() => this.#checkLoading(), 1000)
    element.addEventListener(
      'load',
      () => {
        clearInterval(timer)
        this.#start(port2)
      },
      { once: true },
    )
    connection.closed.addEventListener('abort', () => clearInterval(timer))
    this.#host.append(element)
    return connection
  }

  /**
   * Stops a frame that does not load in time. Seconds in which the frame is not in the document do not count, because
   * it does not load then.
   */
  #checkLoading(): void {
    const connection = this.#connection
    if (connection.element.isConnected) connection.secondsLoading++
    if (connection.secondsLoading >= loadTimeoutSeconds)
      this.#stop(`the frame did not load within ${loadTimeoutSeconds} seconds`)
  }

  /**
   * Sends the port to the frame, starts the widget, and checks every second that the frame responds. So far only the
   * frame's own script has run in its document, so no widget code can receive the port.
   */
  #start(port: MessagePort): void {
    if (this.#status !== 'loading') return
    const { element, port: ownPort, closed } = this.#connection
    this.#status = 'starting'
    ownPort.onmessage = ({ data }) => this.#receive(data)
    element.contentWindow?.postMessage(greeting, '*', [port])
    // A second load means that the widget navigated its frame to another document.
    element.addEventListener('load', () => this.#stop('the widget left its frame'), {
      signal: closed,
    })
    const theme = () => themeAt(this.#host)
    this.#send({
      kind: 'start',
      version: protocolVersion,
      widget: this.#widget,
      props: this.#props,
      theme: theme(),
    })
    watchTheme(() => this.#send({ kind: 'theme', theme: theme() }), closed)
    const timer = setInterval(() => this.#checkEverySecond(), 1000)
    closed.addEventListener('abort', () => clearInterval(timer))
  }

  #checkEverySecond(): void {
    const connection = this.#connection
    connection.messages = Math.max(0, connection.messages - maxMessagesPerSecond)
    if (connection.secondsSincePong++ >= pongTimeoutSeconds)
      this.#stop(`the widget did not respond for ${pongTimeoutSeconds} seconds`)
    else this.#send({ kind: 'ping' })
  }

  #send(message: ToFrame): void {
    this.#connection.port.postMessage(JSON.stringify(message))
  }

  #receive(data: unknown): void {
    if (this.#status === 'stopped' || this.#status === 'ended') return
    const message = readFromFrame(data)
    if (++this.#connection.messages > maxMessageBurst)
      this.#stop('the widget sends too many messages')
    else if (message === undefined) this.#stop('the widget sent a malformed message')
    else this.#handle(message)
  }

  #handle(message: FromFrame): void {
    const { element, staticNodes } = this.#connection
    switch (message.kind) {
      case 'ready':
        this.#status = 'ready'
        for (const node of staticNodes) node.parentNode?.removeChild(node)
        break
      case 'pong':
        this.#connection.secondsSincePong = 0
        break
      case 'height':
        element.style.height = `${Math.min(Math.max(0, message.height), maxHeight)}px`
        break
      case 'notify':
        this.#options.onNotify(message.value)
        break
      case 'failed':
        this.#options.onError(message.part, new Error(message.message))
        break
      case 'call':
        void this.#runCall(message.call, message.name, message.args)
    }
  }

  async #runCall(call: number, name: string, args: readonly unknown[]): Promise<void> {
    const { port } = this.#connection
    const respond = (message: ToFrame) => port.postMessage(JSON.stringify(message))
    try {
      respond({ kind: 'answer', call, value: await this.#options.runCall(name, args) })
    } catch (e) {
      respond({ kind: 'refusal', call, message: e instanceof Error ? e.message : String(e) })
    }
  }

  /** Removes the frame after a violation. Shows the reason in its place, with a button that starts it again. */
  #stop(reason: string): void {
    if (this.#status === 'stopped' || this.#status === 'ended') return
    this.#connection.close()
    this.#status = 'stopped'
    const box = errorBox(this.#widget.name, reason, () => {
      if (this.#status !== 'stopped') return
      box.remove()
      this.#status = 'loading'
      this.#connection = this.#load()
    })
    this.#host.replaceChildren(box)
    this.#options.onError('frame', new Error(reason))
  }
}

/** One iframe and its port, from loading to removal. */
class Connection {
  readonly element: HTMLIFrameElement
  readonly port: MessagePort
  /** The static HTML of the widget, which the host shows until the frame is ready. */
  readonly staticNodes: readonly Node[]
  secondsLoading = 0
  secondsSincePong = 0
  /** Number of messages received, minus the number that the average rate allows. */
  messages = 0
  readonly #closing = new AbortController()

  constructor(element: HTMLIFrameElement, port: MessagePort, staticNodes: readonly Node[]) {
    this.element = element
    this.port = port
    this.staticNodes = staticNodes
  }

  /** Aborts when the frame is removed. */
  get closed(): AbortSignal {
    return this.#closing.signal
  }

  close(): void {
    this.#closing.abort()
    this.port.close()
    this.element.remove()
  }
}

function createIframe(widget: WidgetTree, url: string): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.sandbox.add('allow-scripts')
  frame.referrerPolicy = 'no-referrer'
  frame.allow = ''
  frame.title = widget.name
  frame.src = new URL('/api/v1/widgets/frame', url).href
  const { style } = frame
  style.display = 'block'
  style.width = '100%'
  style.height = '0'
  style.border = '0'
  return frame
}
