import type { Client, Format, Query } from '@weft/client'
import { type CallName, callNames, maxResultLength } from './protocol.ts'

/** Maximum number of calls of one frame that run at the same time. */
const maxRunningCalls = 16

/**
 * Returns a function that runs the calls of one frame with the given client. It rejects unknown calls, calls with
 * malformed arguments, calls beyond `maxRunningCalls`, and results that are too long.
 */
export function createCallHandler(getClient: () => Promise<Client>) {
  let runningCalls = 0
  return async (name: string, args: readonly unknown[]): Promise<unknown> => {
    const call = callNames.find((call) => call === name)
    if (call === undefined) throw new Error(`a widget may not call ${JSON.stringify(name)}`)
    if (runningCalls >= maxRunningCalls)
      throw new Error(`more than ${maxRunningCalls} calls at the same time`)
    runningCalls++
    try {
      return plainCopy(await handlers[call](await getClient(), args))
    } finally {
      runningCalls--
    }
  }
}

/** Returns the guest client of a server. It is created once per server, when a frame first needs it. */
export function guestClient(url: string): Promise<Client> {
  let client = guestClients.get(url)
  if (client === undefined) {
    client = import('@weft/client').then((m) => m.createClient({ url, storage: 'memory' }))
    guestClients.set(url, client)
  }
  return client
}

const guestClients = new Map<string, Promise<Client>>()

const handlers: Record<CallName, (client: Client, args: readonly unknown[]) => unknown> = {
  get: (client, [id]) => client.get(checkId(id)),
  record: (client, [id]) => client.load(checkId(id)),
  find: async (client, [type, value]) => {
    if (typeof type !== 'string' || typeof value !== 'string')
      throw new Error('find takes two strings')
    // Loads the concept into the client, if it exists. The client then finds it locally.
    const filters = [{ name: 'same', search: value }]
    await firstResult(
      client,
      { type, selectors: ['self'], filters, logic: 'same', pageSize: 1 },
      'DATAID',
    )
    return client.find(type, value)
  },
  query: (client, [query, options]) => {
    if (typeof query !== 'object' || query === null) throw new Error('query takes an object')
    const format = (options as { format?: Format } | undefined)?.format ?? 'DATAID'
    return firstResult(client, query as Query, format)
  },
}

function checkId(id: unknown): number {
  if (typeof id !== 'number' || !Number.isSafeInteger(id))
    throw new Error(`${String(id)} is not an id`)
  return id
}

/** Resolves to the first result of a query, then unsubscribes. */
function firstResult(client: Client, query: Query, format: Format): Promise<unknown> {
  const live = client.query(query, { format })
  return new Promise((resolve, reject) => {
    const onChange = () => {
      const state = live.get()
      if (state.status === 'loading') return
      queueMicrotask(() => unsubscribe())
      if (state.status === 'error') reject(state.error)
      else resolve(state.data)
    }
    const unsubscribe = live.subscribe(onChange)
    onChange()
  })
}

/** Copies a result as JSON, so that a frame receives data only. */
function plainCopy(value: unknown): unknown {
  const text = JSON.stringify(value ?? null)
  if (text.length > maxResultLength)
    throw new Error(`the result is too long: ${text.length} characters`)
  return JSON.parse(text)
}
