import type { Id } from '../../model/id.ts'
import { expectList } from '../../wire/expect.ts'

/** Requests the records with these ids. */
export type Request = (path: string, ids: readonly Id[]) => Promise<unknown>

type FetchIds = (ids: readonly Id[]) => Promise<void>

/** The maximum number of ids in one request. */
const maxIdsPerRequest = 1_000

/** The ids that are fetched together, and the earlier fetches that load the other ids of the same callers. */
interface Batch {
  readonly ids: Id[]
  readonly earlier: Set<Promise<void>>
}

/**
 * Coalesces requests for records that never change: ids requested in one tick are fetched together, and an id that is
 * being fetched is not fetched a second time. `fetch` must apply its records in one step, and only after `earlier` has
 * resolved: a call may get some of its records from an earlier fetch, and its records must become visible together.
 * `fetch` must not wait for any other fetch, which may be waiting for this one.
 */
export function coalesceFetches(
  fetch: (ids: readonly Id[], earlier: Promise<unknown>) => Promise<void>,
): FetchIds {
  const inFlight = new Map<Id, Promise<void>>()
  let next: Batch | undefined
  let nextFetch: Promise<void>

  async function fetchAfterTick({ ids, earlier }: Batch): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve))
    next = undefined
    await fetch(ids, Promise.allSettled(earlier)).finally(() => {
      for (const id of ids) inFlight.delete(id)
    })
  }

  return async (ids) => {
    const fetches = new Set(ids.flatMap((id) => inFlight.get(id) ?? []))
    const others = [...new Set(ids)].filter((id) => !inFlight.has(id))
    if (others.length > 0) {
      if (!next) {
        next = { ids: [], earlier: new Set() }
        nextFetch = fetchAfterTick(next)
      }
      for (const fetching of fetches) if (fetching !== nextFetch) next.earlier.add(fetching)
      fetches.add(nextFetch)
      for (const id of others) {
        next.ids.push(id)
        inFlight.set(id, nextFetch)
      }
    }
    await Promise.all(fetches)
  }
}

/**
 * Coalesces requests for the current state of records: ids requested in one tick are fetched together. An id that is
 * already being fetched is fetched once more afterwards, because the response under way may be older than the call.
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
    const fetching = fetch([...ids]).finally(() => {
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

/** Requests ids in parts, at the same time. Returns the lists of all responses as one list. */
export async function requestInParts(
  request: Request,
  path: string,
  ids: readonly Id[],
): Promise<readonly unknown[]> {
  const parts: Promise<unknown>[] = []
  for (let i = 0; i < ids.length; i += maxIdsPerRequest)
    parts.push(request(path, ids.slice(i, i + maxIdsPerRequest)))
  return (await Promise.all(parts)).flatMap(expectList)
}
