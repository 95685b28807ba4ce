import type { Client } from '../api.ts'
import type { Logger } from './logger.ts'

/** The logged methods of a client. Synchronous reads are too frequent to be logged. */
const methods = ['create', 'update', 'remove', 'get', 'load', 'query', 'fetch', 'setToken'] as const

/** Logs each call of the methods above in the library's log. Returns a function that restores the methods. */
export function logCalls(client: Client, logger: Logger): () => void {
  const all = client as unknown as Record<string, (...args: unknown[]) => unknown>
  let isLogging = true
  const restores = methods.map((name) => {
    const original = all[name] as (...args: unknown[]) => unknown
    const wrapper = (...args: unknown[]) => {
      const work = () => original(...args)
      return isLogging ? logger.logCall(name, args, work) : work()
    }
    all[name] = wrapper
    return () => {
      if (all[name] === wrapper) all[name] = original
    }
  })
  return () => {
    isLogging = false
    for (const restore of restores) restore()
  }
}
