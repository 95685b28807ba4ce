import type { Widget } from '../page/widget.ts'
import { errorBox } from './error-box.ts'
import { type FromFrame, greeting, readFromFrame, type ToFrame, version } from './protocol.ts'
import { onTheme, themeAt } from './theme.ts'

/** What a frame needs of the page around it. */
export interface FrameOptions {
  /** Origin of the server. */
  readonly url: string
  readonly props: unknown
  /** Answers a question of the frame, or rejects. */
  readonly answer: (name: string, args: readonly unknown[]) => Promise<unknown>
  readonly notified: (value: unknown) => void
  readonly failed: (part: string, error: Error) => void
}

/** How many seconds a frame may be silent. */
const patience = 5
/** How many messages a frame may send in a second, over a while. */
const busiest = 200
/** In CSS pixels. */
const highest = 10_000

/**
 * Runs a widget, and everything inside it, in a frame that has nothing of ours. What the host showed before
 * stays until the frame is ready; where it had to be taken out, the host says why.
 */
export class Frame {
  readonly #widget: Widget
  readonly #host: HTMLElement
  readonly #options: FrameOptions
  readonly #before: readonly Node[]
  readonly #element: HTMLIFrameElement
  readonly #ended = new AbortController()
  readonly #port: MessagePort
  #props: unknown
  #next: Frame | undefined
  /** Seconds since the frame said that it is there. */
  #silent = 0
  #messages = 0

  constructor(widget: Widget, host: HTMLElement, options: FrameOptions) {
    this.#widget = widget
    this.#host = host
    this.#options = options
    this.#props = options.props
    this.#before = Array.from(host.childNodes)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#element = emptyFrame(widget, options.url)
    this.#element.addEventListener('load', () => this.#greet(port2), { once: true })
    host.append(this.#element)
  }

  give(props: unknown): void {
    this.#props = props
    this.#next?.give(props)
    this.#tell({ kind: 'props', props })
  }

  end(): void {
    this.#next?.end()
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    this.#port.close()
    this.#element.remove()
  }

  /**
   * Nothing but the script of the frame has run when it has loaded. When it loads again it is another
   * document, and has left.
   */
  #greet(port: MessagePort): void {
    const { signal } = this.#ended
    this.#port.onmessage = ({ data }) => this.#hear(data)
    this.#element.contentWindow?.postMessage(greeting, '*', [port])
    this.#element.addEventListener('load', () => this.#stop('the widget left its frame'), {
      signal,
    })
    const theme = () => themeAt(this.#host)
    const widget = this.#widget
    this.#tell({ kind: 'start', version, widget, props: this.#props, theme: theme() })
    onTheme(() => this.#tell({ kind: 'theme', theme: theme() }), signal)
    const timer = setInterval(() => this.#beat(), 1000)
    signal.addEventListener('abort', () => clearInterval(timer))
  }

  #beat(): void {
    this.#messages = Math.max(0, this.#messages - busiest)
    if (this.#silent++ >= patience) this.#stop(`the widget did not answer for ${patience} seconds`)
    else this.#tell({ kind: 'ping' })
  }

  #tell(message: ToFrame): void {
    this.#port.postMessage(JSON.stringify(message))
  }

  #hear(data: unknown): void {
    if (this.#ended.signal.aborted) return
    const message = readFromFrame(data)
    if (++this.#messages > 5 * busiest) this.#stop('the widget sends too many messages')
    else if (message === undefined) this.#stop('the widget sends what makes no sense')
    else this.#take(message)
  }

  #take(message: FromFrame): void {
    switch (message.kind) {
      case 'ready':
        for (const node of this.#before) node.parentNode?.removeChild(node)
        break
      case 'pong':
        this.#silent = 0
        break
      case 'height':
        this.#element.style.height = `${Math.min(Math.max(0, message.height), highest)}px`
        break
      case 'notify':
        this.#options.notified(message.value)
        break
      case 'failed':
        this.#options.failed(message.part, new Error(message.message))
        break
      case 'call':
        void this.#answer(message.call, message.name, message.args)
    }
  }

  async #answer(call: number, name: string, args: readonly unknown[]): Promise<void> {
    try {
      this.#tell({ kind: 'answer', call, value: await this.#options.answer(name, args) })
    } catch (e) {
      const message = e instanceof Error ? e.message : String(e)
      this.#tell({ kind: 'refusal', call, message })
    }
  }

  /** Takes the frame out and says why, with a way to start it again. */
  #stop(reason: string): void {
    if (this.#ended.signal.aborted) return
    this.end()
    const box = errorBox(this.#widget.name, reason, () => {
      box.remove()
      this.#next = new Frame(this.#widget, this.#host, { ...this.#options, props: this.#props })
    })
    this.#host.replaceChildren(box)
    this.#options.failed('frame', new Error(reason))
  }
}

function emptyFrame(widget: Widget, url: string): HTMLIFrameElement {
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
