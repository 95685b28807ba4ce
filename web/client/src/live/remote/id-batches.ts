import type { Id } from '../../model/id.ts'

type FetchIds = (ids: readonly Id[]) => Promise<void>

/** The maximum number of ids in one request. */
const maxIdsPerRequest = 1_000

/**
 * Coalesces requests for records that never change: ids requested in one tick are fetched together, and an id that is
 * being fetched is not fetched a second time.
 */
export function coalesceFetches(fetch: FetchIds): FetchIds {
  const inFlight = new Map<Id, Promise<unknown>>()
  let nextIds: Id[] | undefined
  let nextFetch: Promise<unknown>

  async function fetchAfterTick(ids: Id[]): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve))
    nextIds = undefined
    await fetchInParts(fetch, ids).finally(() => {
      for (const id of ids) inFlight.delete(id)
    })
  }

  return async (ids) => {
    for (const id of ids) {
      if (inFlight.has(id)) continue
      if (!nextIds) {
        nextIds = []
        nextFetch = fetchAfterTick(nextIds)
      }
      nextIds.push(id)
      inFlight.set(id, nextFetch)
    }
    await Promise.all(new Set(ids.map((id) => inFlight.get(id))))
  }
}

/**
 * Coalesces requests for the current state of records: ids requested in one tick are fetched together. An id that is
 * being fetched is fetched again after that, because the response under way may be older than the call.
 */
export function coalesceRefetches(fetch: FetchIds): FetchIds {
  const inFlight = new Map<Id, Promise<unknown>>()
  let nextIds: Set<Id> | undefined
  let nextFetch: Promise<unknown>

  const fetchesOf = (ids: Set<Id>) => [...ids].flatMap((id) => inFlight.get(id) ?? [])

  async function fetchWhenFree(ids: Set<Id>): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve))
    for (let busy = fetchesOf(ids); busy.length > 0; busy = fetchesOf(ids))
      await Promise.allSettled(busy)
    nextIds = undefined
    const fetching = fetchInParts(fetch, [...ids]).finally(() => {
      for (const id of ids) inFlight.delete(id)
    })
    for (const id of ids) inFlight.set(id, fetching)
    await fetching
  }

  return async (ids) => {
    if (ids.length === 0) return
    if (!nextIds) {
      nextIds = new Set()
      nextFetch = fetchWhenFree(nextIds)
    }
    for (const id of ids) nextIds.add(id)
    await nextFetch
  }
}

function fetchInParts(fetch: FetchIds, ids: readonly Id[]): Promise<unknown> {
  const parts: Promise<void>[] = []
  for (let i = 0; i < ids.length; i += maxIdsPerRequest)
    parts.push(fetch(ids.slice(i, i + maxIdsPerRequest)))
  return Promise.all(parts)
}
