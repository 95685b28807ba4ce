/** What becomes of one request between a tab and the server. */
export type Fault =
  | { readonly kind: 'none' | 'cut before' | 'cut during' | 'answer lost' | 'half an answer' }
  | { readonly kind: 'cut short' }
  /** Delivered once more some milliseconds after the answer, as a network may that was thought dead. */
  | { readonly kind: 'again'; readonly after: number }
  | { readonly kind: 'slow'; readonly by: number }
  /** Another answer takes the place of the server's; taken says whether the server did the work before. */
  | {
      readonly kind: 'replaced'
      readonly status: number
      readonly body: Body
      readonly taken: boolean
    }

/** HTML as a gateway or a captive portal writes it, JSON as the server does, or nothing. */
export type Body = 'html' | 'json' | 'none'

/** Where writes go. */
export const writesPath = '/api/v1/local-concepts'

/** 500 twice, because it is the one that is our server's own fault. */
const statuses = [200, 401, 406, 409, 413, 429, 500, 500, 503] as const

/** Rolls what becomes of a request: every second write and one in five other requests meet a fault. */
export function faultOf(dice: () => number, path: string): Fault {
  const rate = path === writesPath ? 0.5 : 0.2
  if (dice() > rate) return { kind: 'none' }
  const one = <T>(list: readonly T[]) => list[Math.floor(dice() * list.length)] as T
  const replaced = (): Fault => {
    const status = one(statuses)
    const body = status === 200 ? 'html' : one<Body>(['html', 'json', 'json', 'none'])
    return { kind: 'replaced', status, body, taken: dice() < 0.5 }
  }
  return one<() => Fault>([
    () => ({ kind: 'cut before' }),
    () => ({ kind: 'cut during' }),
    () => ({ kind: 'answer lost' }),
    () => ({ kind: 'half an answer' }),
    () => ({ kind: 'cut short' }),
    () => ({ kind: 'again', after: dice() * 2_000 }),
    () => ({ kind: 'slow', by: dice() * 1_500 }),
    replaced,
    replaced,
    replaced,
  ])()
}

/** How the table calls a fault. */
export const nameOf = (fault: Fault): string =>
  fault.kind === 'replaced'
    ? `${fault.status}${fault.body === 'html' ? ' as HTML' : ''}`
    : fault.kind

const kinds: Record<number, string> = {
  401: 'unauthorized',
  406: 'invalid',
  409: 'conflict',
  413: 'tooLarge',
  429: 'tooMany',
  500: 'internal',
  503: 'unavailable',
}

/** What somebody between tab and server says in its place. */
export function replacement(status: number, body: Body): { type: string; text: string } {
  if (body === 'none') return { type: 'text/plain', text: '' }
  if (body === 'html') {
    const text = `<!doctype html><title>${status}</title><h1>The gateway says ${status}</h1>`
    return { type: 'text/html; charset=utf-8', text }
  }
  const message = `a fault said ${status}`
  return { type: 'application/json', text: JSON.stringify({ kind: kinds[status], message }) }
}
