/** A fault of one request between a tab and the server. */
export type Fault =
  | {
      readonly kind:
        | 'none'
        /** The connection is closed before the server gets the request. */
        | 'cut before'
        /** The server gets half of the request. */
        | 'cut during'
        /** The server processes the request, and the connection is closed. */
        | 'response lost'
        /** The connection is closed in the middle of the response. */
        | 'half a response'
        /** Half of the response arrives, as if it were complete. */
        | 'cut short'
    }
  /** The request is delivered a second time, `after` ms after the response, as a network does that recovers late. */
  | { readonly kind: 'repeated'; readonly after: number }
  /** The response is delayed by `by` ms. */
  | { readonly kind: 'slow'; readonly by: number }
  /**
   * The response of the server is replaced by another one. `isProcessed`: whether the server has processed the request.
   */
  | {
      readonly kind: 'replaced'
      readonly status: number
      readonly body: BodyKind
      readonly isProcessed: boolean
    }

/** HTML as a gateway or a captive portal sends it, JSON as the server sends it, or nothing. */
export type BodyKind = 'html' | 'json' | 'none'

/** The path of requests with writes. */
export const writesPath = '/api/v1/local-concepts'

/** 500 is twice as likely as each other status, because it is the only one that means a defect of the server. */
const statuses = [200, 401, 406, 409, 413, 429, 500, 500, 503] as const

/** Chooses the fault of a request. Every second request with writes has a fault, and one in five of the others. */
export function chooseFault(random: () => number, path: string): Fault {
  const rate = path === writesPath ? 0.5 : 0.2
  if (random() > rate) return { kind: 'none' }
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const replaced = (): Fault => {
    const status = pick(statuses)
    const body = status === 200 ? 'html' : pick<BodyKind>(['html', 'json', 'json', 'none'])
    return { kind: 'replaced', status, body, isProcessed: random() < 0.5 }
  }
  return pick<() => Fault>([
    () => ({ kind: 'cut before' }),
    () => ({ kind: 'cut during' }),
    () => ({ kind: 'response lost' }),
    () => ({ kind: 'half a response' }),
    () => ({ kind: 'cut short' }),
    () => ({ kind: 'repeated', after: random() * 2_000 }),
    () => ({ kind: 'slow', by: random() * 1_500 }),
    replaced,
    replaced,
    replaced,
  ])()
}

/** Returns the name under which the table of outcomes counts a fault. */
export const faultName = (fault: Fault): string =>
  fault.kind === 'replaced'
    ? `${fault.status}${fault.body === 'html' ? ' as HTML' : ''}`
    : fault.kind

const errorKinds: Record<number, string> = {
  401: 'unauthorized',
  406: 'invalid',
  409: 'conflict',
  413: 'tooLarge',
  429: 'tooMany',
  500: 'internal',
  503: 'unavailable',
}

/** Returns the body of a response that replaces the server's. */
export function replacementBody(status: number, body: BodyKind): { type: string; text: string } {
  if (body === 'none') return { type: 'text/plain', text: '' }
  if (body === 'html') {
    const text = `<!doctype html><title>${status}</title><h1>Gateway error ${status}</h1>`
    return { type: 'text/html; charset=utf-8', text }
  }
  const message = `injected fault: ${status}`
  return { type: 'application/json', text: JSON.stringify({ kind: errorKinds[status], message }) }
}
