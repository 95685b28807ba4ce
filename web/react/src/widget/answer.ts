import type { Client, Format, Query } from '@weft/client'
import { type Call, calls, longest } from './protocol.ts'

/** How many questions of one frame may be open at a time. */
const mostOpen = 16

/**
 * Answers what a frame may ask, as nobody in particular. Rejects everything else, what asks for too much,
 * and questions beside too many others.
 */
export function answering(client: () => Promise<Client>) {
  let open = 0
  return async (name: string, args: readonly unknown[]): Promise<unknown> => {
    const call = calls.find((call) => call === name)
    if (call === undefined) throw new Error(`a widget may not call ${JSON.stringify(name)}`)
    if (open >= mostOpen) throw new Error(`more than ${mostOpen} questions at a time`)
    open++
    try {
      return plain(await answers[call](await client(), args))
    } finally {
      open--
    }
  }
}

const answers: Record<Call, (client: Client, args: readonly unknown[]) => unknown> = {
  get: (client, [id]) => client.get(idOf(id)),
  record: (client, [id]) => client.load(idOf(id)),
  find: async (client, [type, value]) => {
    if (typeof type !== 'string' || typeof value !== 'string')
      throw new Error('find takes two texts')
    const filters = [{ name: 'same', search: value }]
    await settled(
      client,
      { type, selectors: ['self'], filters, logic: 'same', pageSize: 1 },
      'DATAID',
    )
    return client.find(type, value)
  },
  query: (client, [query, options]) => {
    if (typeof query !== 'object' || query === null) throw new Error('query takes an object')
    const format = (options as { format?: Format } | undefined)?.format ?? 'DATAID'
    return settled(client, query as Query, format)
  },
}

function idOf(id: unknown): number {
  if (typeof id !== 'number' || !Number.isSafeInteger(id))
    throw new Error(`${String(id)} is not an id`)
  return id
}

/** The first answer of the server to a query. */
function settled(client: Client, query: Query, format: Format): Promise<unknown> {
  const live = client.query(query, { format })
  return new Promise((resolve, reject) => {
    const look = () => {
      const state = live.get()
      if (state.status === 'loading') return
      queueMicrotask(() => stop())
      if (state.status === 'error') reject(state.error)
      else resolve(state.data)
    }
    const stop = live.subscribe(look)
    look()
  })
}

/** What goes to a frame is a copy without anything but data. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value ?? null)
  if (text.length > longest.answer)
    throw new Error(`an answer of ${text.length} characters is too long`)
  return JSON.parse(text)
}
