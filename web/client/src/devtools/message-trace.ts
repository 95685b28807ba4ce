import type { Internals } from '../internals.ts'

/** A request to the server, or a message from another tab. */
export interface TracedMessage {
  /** Time of the message, in milliseconds since 1970. */
  readonly at: number
  readonly peer: 'server' | 'tabs'
  /** Method and path of a request, or kind of a message. */
  readonly label: string
  /** Status or error of a request, and its duration; empty until then. */
  result: string
}

export interface MessageTrace {
  /** The traced messages, newest first. */
  readonly messages: readonly TracedMessage[]
  stop(): void
}

/** Maximum number of traced messages; the oldest are dropped first. */
const maxMessages = 200

/** Traces requests and messages between tabs, without their content. */
export function traceMessages(internals: Internals, onChange: () => void): MessageTrace {
  const messages: TracedMessage[] = []
  const add = (peer: TracedMessage['peer'], label: string): TracedMessage => {
    const message = { at: Date.now(), peer, label, result: '' }
    messages.unshift(message)
    messages.length = Math.min(messages.length, maxMessages)
    onChange()
    return message
  }

  const { http } = internals
  const originalFetch = http.fetch
  const tracingFetch: typeof fetch = async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : input, http.url)
    const message = add('server', `${init?.method ?? 'GET'} ${address.pathname}`)
    const finish = (result: string) => {
      message.result = `${result}, ${Date.now() - message.at} ms`
      onChange()
    }
    try {
      const response = await originalFetch(input, init)
      finish(String(response.status))
      return response
    } catch (error) {
      finish(error instanceof Error ? error.name : 'failed')
      throw error
    }
  }
  http.fetch = tracingFetch

  const channel = new BroadcastChannel(internals.name)
  channel.onmessage = ({ data }: MessageEvent<unknown>) => add('tabs', describeMessage(data))

  return {
    messages,
    stop() {
      channel.close()
      if (http.fetch === tracingFetch) http.fetch = originalFetch
    },
  }
}

/** Returns the kind and number of a message between tabs. */
function describeMessage(message: unknown): string {
  if (typeof message === 'string') return message
  const { n, news } = message as { n?: number; news?: { kind?: string } }
  return `${news?.kind ?? 'changes'} (${n ?? '?'})`
}
