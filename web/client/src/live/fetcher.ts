import { type Id, isReal } from '../graph/id.ts'
import type { Records } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import type { Storage } from '../store/storage.ts'
import { answerOf } from '../wire/answer.ts'
import { conceptsOf } from '../wire/concept.ts'
import { connectionsOf } from '../wire/connection.ts'
import type { Http } from '../wire/http.ts'

/** The most ids in one request. */
const most = 1_000
/** For how long the server's "I do not have that" is believed. */
const absence = 5_000

/**
 * Brings records here. What is asked for in one tick goes out as one request. Its code is loaded once the page
 * has started: without it everything works that works without the server.
 */
export class Fetcher {
  readonly #http: Http
  readonly #graph: Graph
  readonly #cache: () => Storage | undefined
  readonly #waits: (id: Id) => unknown
  readonly #concepts = gathering((ids) => this.#fetchConcepts(ids, (path) => this.#read(path, ids)))
  readonly #connections = gathering((ids) => this.#fetchConnections(ids))
  readonly #conceptsNow = asking((ids) => this.#fetchConcepts(ids, (path) => this.#ask(path, ids)))
  readonly #recordsNow = asking((ids) => this.#fetchRecords(ids))
  /** Reads the answer to a query. */
  readonly answer = answerOf
  /** Since when, by the clock that nobody sets. */
  readonly #absent = new Map<Id, number>()
  /** Whom that is absent for. */
  #user: string | undefined

  /** What waits to be written to, or was refused, says `waits`, is not let go of: nobody else may have its data. */
  constructor(
    http: Http,
    graph: Graph,
    cache: () => Storage | undefined,
    waits: (id: Id) => unknown,
  ) {
    this.#http = http
    this.#graph = graph
    this.#cache = cache
    this.#waits = waits
  }

  /** Fetches those that are not here. */
  async concepts(ids: Iterable<Id>): Promise<void> {
    const real = [...ids].map((id) => this.#graph.real(id))
    const missing = [...new Set(real)].filter((id) => this.#lacks(id))
    if (missing.length > 0) await this.#concepts(missing)
  }

  /** Fetches those that are not here, and the concepts at their ends. */
  async connections(ids: readonly Id[]): Promise<void> {
    const missing = ids.filter((id) => isReal(id) && !this.#graph.connection(id))
    if (missing.length > 0) await this.#connections(missing)
    const here = ids.flatMap((id) => this.#graph.connection(id) ?? [])
    await this.concepts(here.flatMap((c) => [c.type, c.from, c.to]))
  }

  /** Fetches concepts and what is inside them, here or not, and learns what the server has no more. */
  async again(ids: readonly Id[]): Promise<void> {
    const real = ids.map((id) => this.#graph.real(id)).filter(isReal)
    for (const id of real) this.#absent.delete(id)
    await Promise.all([this.#conceptsNow(real), this.#recordsNow(real)])
  }

  /** What the server does not have for one user it may have for another. */
  #lacks(id: Id): boolean {
    if (!isReal(id) || this.#graph.concept(id)) return false
    if (this.#user !== this.#graph.user) this.#absent.clear()
    this.#user = this.#graph.user
    return (this.#absent.get(id) ?? -absence) < performance.now() - absence
  }

  async #fetchConcepts(ids: readonly Id[], ask: (path: string) => Promise<unknown>): Promise<void> {
    const concepts = conceptsOf(await ask('/api/get_concept_bulk'))
    this.#take({ concepts, connections: [] })
    const found = new Set(concepts.map((c) => c.id))
    const lost = ids.filter((id) => !found.has(id))
    if (this.#absent.size > 10 * most) this.#absent.clear()
    for (const id of lost) this.#absent.set(id, performance.now())
    this.#lose(
      lost.filter((id) => this.#graph.concept(id) && !this.#waits(id)),
      [],
    )
    const asked = new Set(ids)
    await this.concepts(concepts.flatMap((c) => (asked.has(c.id) ? c.type : [])))
  }

  async #fetchConnections(ids: readonly Id[]): Promise<void> {
    const connections = connectionsOf(await this.#read('/api/get_connection_bulk', ids))
    this.#take({ concepts: [], connections })
  }

  async #fetchRecords(ids: readonly Id[]): Promise<void> {
    const path = '/api/get_all_connections_of_composition_bulk'
    const since = this.#graph.confirmations
    const connections = connectionsOf(await this.#ask(path, ids))
    this.#take({ concepts: [], connections })
    this.inside(ids, new Set(connections.map((c) => c.id)), since)
    await this.concepts([...ids, ...connections.flatMap((c) => [c.from, c.to])])
  }

  /** Asks for what never changes, which other servers may know as well. */
  readonly #read = (path: string, ids: readonly Id[]) =>
    this.#asHere(() => this.#http.read(path, ids))
  /** Asks how something is now. */
  readonly #ask = (path: string, ids: readonly Id[]) =>
    this.#asHere(() => this.#http.post(path, ids))

  /** Asks once more where somebody else is here by the time of the answer. */
  async #asHere(ask: () => Promise<unknown>): Promise<unknown> {
    const { user } = this.#graph
    const answer = await ask().catch((e) => {
      if (user === this.#graph.user) throw e
    })
    return user === this.#graph.user ? answer : this.#asHere(ask)
  }

  /**
   * Lets go of connections inside compositions that the server did not list, unless a write of our own
   * was confirmed after it was asked.
   */
  inside(mains: Iterable<Id>, listed: ReadonlySet<Id>, since: number): void {
    if (this.#graph.confirmations !== since) return
    const gone: Id[] = []
    for (const main of mains) {
      const real = this.#graph.links(main).filter((c) => isReal(c.id))
      const lost = real.filter((c) => !listed.has(c.id))
      // Of a record that is gone nothing is listed.
      if (lost.length < real.length || !this.#waits(main)) gone.push(...lost.map((c) => c.id))
    }
    this.#lose([], gone)
  }

  #lose(removeConcepts: readonly Id[], removeConnections: readonly Id[]): void {
    this.#graph.forget(removeConcepts, removeConnections)
    this.#cache()?.cache({ removeConcepts, removeConnections })
  }

  #take(records: Records): void {
    this.#graph.add(records)
    this.#cache()?.cache(records)
  }
}

/** Collects ids for a tick and fetches them together, none twice at a time. */
function gathering(fetch: Fetch) {
  const underWay = new Map<Id, Promise<unknown>>()
  let next: Id[] | undefined
  let done: Promise<unknown>

  async function fetchNext(ids: Id[]): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve))
    next = undefined
    await inPieces(fetch, ids).finally(() => {
      for (const id of ids) underWay.delete(id)
    })
  }

  return async (ids: readonly Id[]): Promise<void> => {
    for (const id of ids) {
      if (underWay.has(id)) continue
      if (!next) {
        next = []
        done = fetchNext(next)
      }
      next.push(id)
      underWay.set(id, done)
    }
    await Promise.all(new Set(ids.map((id) => underWay.get(id))))
  }
}

/**
 * Collects ids for a tick and asks for them together, as they are from now on: an id that somebody asks for
 * already is asked for again once that is answered.
 */
function asking(fetch: Fetch) {
  const underWay = new Map<Id, Promise<unknown>>()
  let next: Set<Id> | undefined
  let done: Promise<unknown>

  const flights = (ids: Set<Id>) => [...ids].flatMap((id) => underWay.get(id) ?? [])

  async function ask(ids: Set<Id>): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve))
    for (let busy = flights(ids); busy.length > 0; busy = flights(ids))
      await Promise.allSettled(busy)
    next = undefined
    const flight = inPieces(fetch, [...ids]).finally(() => {
      for (const id of ids) underWay.delete(id)
    })
    for (const id of ids) underWay.set(id, flight)
    await flight
  }

  return async (ids: readonly Id[]): Promise<void> => {
    if (ids.length === 0) return
    if (!next) {
      next = new Set()
      done = ask(next)
    }
    for (const id of ids) next.add(id)
    await done
  }
}

type Fetch = (ids: readonly Id[]) => Promise<void>

/** Fetches as many ids in a request as may be. */
function inPieces(fetch: Fetch, ids: readonly Id[]): Promise<unknown> {
  const pieces: Promise<void>[] = []
  for (let i = 0; i < ids.length; i += most) pieces.push(fetch(ids.slice(i, i + most)))
  return Promise.all(pieces)
}
