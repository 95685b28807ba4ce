import type { Client } from '../api.ts'
import type { Logger } from './logger.ts'

/** What an application asks a client to do. What it reads at once is too much to be logged. */
const names = ['create', 'update', 'remove', 'get', 'load', 'query', 'fetch', 'setToken'] as const

/** Logs every such call of a client, in the library's log, until the function returned is called. */
export function logCalls(client: Client, logger: Logger): () => void {
  const all = client as unknown as Record<string, (...given: unknown[]) => unknown>
  let logging = true
  const restores = names.map((name) => {
    const original = all[name] as (...given: unknown[]) => unknown
    const logged = (...given: unknown[]) => {
      const work = () => original(...given)
      return logging ? logger.logCall(name, given, work) : work()
    }
    all[name] = logged
    return () => {
      if (all[name] === logged) all[name] = original
    }
  })
  return () => {
    logging = false
    for (const restore of restores) restore()
  }
}
