/** How far something stored has got. `missing` means that the server has no such thing. */
export type Stored<T> =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly data: T }
  | { readonly status: 'missing' }
  | { readonly status: 'error'; readonly error: Error }

/** What a server says, each thing kept under its key once it has been loaded. */
export interface Cache<T> {
  get(key: string): Stored<T>
  /** Calls back when the state changed. Loads what is not known, and again what has been known for long. */
  subscribe(key: string, changed: () => void): () => void
  /** Loads what is not known, and what failed. Never rejects: the state tells. */
  load(key: string): Promise<void>
  /** Asks again. What is known stays until the answer is here, and beyond when it says the same. */
  refresh(key: string): Promise<void>
  /** Takes something in that was loaded by somebody else. */
  put(key: string, data: T): void
  /** Forgets everything, and asks again for what somebody looks at. */
  clear(): void
}

/** For how long an answer is shown again without a question. */
const fresh = 30_000

interface Entry<T> {
  readonly state: Stored<T>
  /** What the server said, to see whether it says something new. */
  readonly text?: string | undefined
  readonly at: number
}

/**
 * Asks with `ask`, which gives the text of an answer, or undefined when the server has no such thing; and
 * reads the text with `read`, which is told whether something is shown already.
 */
export function createCache<T>(
  ask: (key: string) => Promise<string | undefined>,
  read: (text: string, shown: boolean) => Promise<T | undefined>,
): Cache<T> {
  const entries = new Map<string, Entry<T>>()
  const underWay = new Map<string, Promise<void>>()
  const waiting = new Map<string, Promise<void>>()
  const listeners = new Map<string, Set<() => void>>()

  const get = (key: string) => entries.get(key)?.state ?? loading
  const settle = (key: string, entry: Entry<T>) => {
    const same = entries.get(key)?.state === entry.state
    entries.set(key, entry)
    if (!same) for (const changed of [...(listeners.get(key) ?? [])]) changed()
  }

  async function answer(key: string): Promise<Entry<T>> {
    const known = entries.get(key)
    const shown = known?.state.status === 'ready'
    const at = Date.now()
    try {
      const text = await ask(key)
      if (known && shown && text === known.text) return { ...known, at }
      const data = text === undefined ? undefined : await read(text, shown)
      return { state: data === undefined ? missing : { status: 'ready', data }, text, at }
    } catch (e) {
      const error = e instanceof Error ? e : new Error(String(e))
      return known && shown ? known : { state: { status: 'error', error }, at }
    }
  }

  /** An answer to a question that was forgotten meanwhile is forgotten too. */
  function share(key: string): Promise<void> {
    let asked = underWay.get(key)
    if (asked === undefined) {
      asked = answer(key).then((entry) => {
        if (underWay.get(key) !== asked) return
        underWay.delete(key)
        settle(key, entry)
      })
      underWay.set(key, asked)
    }
    return asked
  }

  async function load(key: string): Promise<void> {
    const { status } = get(key)
    if (status === 'loading' || status === 'error') await share(key)
  }

  /** What was asked before may have been answered before the reason to ask again. */
  async function refresh(key: string): Promise<void> {
    const before = underWay.get(key)
    if (before === undefined) return share(key)
    if (waiting.has(key)) return waiting.get(key)
    const after = before.then(() => {
      waiting.delete(key)
      return share(key)
    })
    waiting.set(key, after)
    return after
  }

  return {
    get,
    load,
    refresh,
    put: (key, data) => settle(key, { state: { status: 'ready', data }, at: Date.now() }),
    subscribe(key, changed) {
      const here = listeners.get(key) ?? new Set()
      listeners.set(key, here.add(changed))
      const { at } = entries.get(key) ?? { at: 0 }
      if (at < Date.now() - fresh) void share(key)
      return () => {
        here.delete(changed)
        if (here.size === 0 && listeners.get(key) === here) listeners.delete(key)
      }
    },
    clear() {
      const known = [...entries.keys()]
      underWay.clear()
      entries.clear()
      for (const key of known) for (const changed of [...(listeners.get(key) ?? [])]) changed()
      for (const key of listeners.keys()) void share(key)
    },
  }
}

const loading = { status: 'loading' } as const
const missing = { status: 'missing' } as const

/** The text of an answer; undefined when there is nothing of that name. Throws for everything else. */
export async function textOf(response: Response): Promise<string | undefined> {
  const { status, statusText } = response
  if (!response.ok) void response.body?.cancel() // or the connection waits for somebody to read it
  if (status === 404) return undefined
  if (!response.ok)
    throw new Error(statusText || reasons.get(status) || `the server says ${status}`)
  return response.text()
}

/** Servers that speak HTTP/2 send no words with their numbers. */
const reasons = new Map([
  [401, 'Unauthorized'],
  [406, 'Not Acceptable'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
])
