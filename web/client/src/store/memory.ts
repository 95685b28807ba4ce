import type { Id } from '../graph/id.ts'
import { randomNumber, type Storage } from './storage.ts'

/** Keeps nothing: for private windows, servers and tests. */
export function memoryStorage(): Storage {
  const counters = { concept: -100, connection: -200 }
  const done = () => Promise.resolve()
  return {
    durable: false,
    load: async () => ({
      randomizer: randomNumber(),
      mutations: [],
      seen: { concepts: [], connections: [] },
      answers: new Map(),
    }),
    mutations: async () => [],
    reserve: async (kind, n): Promise<Id> => {
      counters[kind] -= n
      return counters[kind] + n
    },
    append: done,
    settle: done,
    mark: done,
    discard: done,
    cache: () => {},
    remember: () => {},
    forget: done,
    close: () => {},
  }
}
