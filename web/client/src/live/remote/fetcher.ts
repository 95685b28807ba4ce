import type { Graph } from '../../local/graph.ts'
import type { Concept } from '../../model/concept.ts'
import { type Id, isReal } from '../../model/id.ts'
import type { Mutation, Records } from '../../model/mutation.ts'
import type { Storage } from '../../store/storage.ts'
import { decodeAnswer } from '../../wire/answer-codec.ts'
import { decodeConcepts } from '../../wire/concept-codec.ts'
import { decodeConnections } from '../../wire/connection-codec.ts'
import type { Http } from '../../wire/http.ts'
import { coalesceFetches, coalesceRefetches, type Request, requestInParts } from './id-batches.ts'
import { findCandidates, findUnconfirmed } from './unconfirmed.ts'

/** An id that the server does not have is not requested again for this time, in ms. */
const absenceLifetime = 5_000
/** When more ids than this are recorded as absent, all of them are dropped. */
const maxAbsentIds = 10_000

/** The ids that an answer lists. */
interface AnswerIds {
  readonly roots: readonly Id[]
  readonly links: readonly Id[]
}

/** The members of a hop of a query that decide which links its answer has. */
interface Hop {
  readonly connection?: string
  readonly reverse?: boolean
  readonly legacy?: unknown
  readonly include?: boolean
  readonly limit?: unknown
  readonly aggregate?: unknown
  readonly type?: unknown
  readonly conceptIds?: unknown
  readonly name?: unknown
}

interface Parts {
  readonly http: Http
  readonly graph: Graph
  storage(): Storage | undefined
  /**
   * Reports whether a record has pending or failed writes. The server does not have their data, so the record is not
   * evicted.
   */
  hasPendingWrites(id: Id): boolean
  /** Returns the writes that are not settled, oldest first. */
  pending(): readonly Mutation[]
}

/**
 * Fetches records from the server into the graph and the cache on disk.
 *
 * | call | requests | afterwards |
 * |---|---|---|
 * | `fetchConcepts`, `fetchConnections` | ids that are not loaded, from any server | loaded, or known as absent for 5 s |
 * | `refetch` | concepts and the records inside them, loaded or not, from the main server | as on the server |
 *
 * Calls of one tick are coalesced into one request per kind. If the user changes during a request, its response is
 * discarded and the request is repeated.
 */
export class Fetcher {
  readonly #parts: Parts
  readonly #fetchConcepts = coalesceFetches((ids, earlier) =>
    this.#requestConcepts(ids, this.#read, earlier),
  )
  readonly #fetchConnections = coalesceFetches((ids) => this.#requestConnections(ids))
  readonly #refetchConcepts = coalesceRefetches((ids) => this.#requestConcepts(ids, this.#post))
  readonly #refetchRecords = coalesceRefetches((ids) => this.#requestRecords(ids))
  /** Decodes the response to a query. */
  readonly decodeAnswer = decodeAnswer
  /** The time at which the server last reported an id as absent for `#absentUser`, by a monotonic clock in ms. */
  readonly #absentSince = new Map<Id, number>()
  #absentUser: string | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Fetches concepts that are not loaded, with their types. */
  async fetchConcepts(ids: Iterable<Id>): Promise<void> {
    const real = [...ids].map((id) => this.#parts.graph.real(id))
    const missing = [...new Set(real)].filter((id) => this.#isMissing(id))
    if (missing.length === 0) return
    await this.#fetchConcepts(missing)
    await this.#fetchTypes(missing)
  }

  /**
   * Fetches connections that are not loaded, with the concepts at their ends, their types, and further concepts. The concepts
   * arrive last and together, so that no record is seen before its contents.
   */
  async fetchConnections(ids: readonly Id[], concepts: readonly Id[] = []): Promise<void> {
    const { graph } = this.#parts
    const missing = ids.filter((id) => isReal(id) && !graph.connection(id))
    if (missing.length > 0) await this.#fetchConnections(missing)
    const loaded = ids.flatMap((id) => graph.connection(id) ?? [])
    await this.fetchConcepts([...loaded.flatMap((c) => [c.type, c.from, c.to]), ...concepts])
  }

  /**
   * Fetches the records of an answer that are not loaded. Evicts loaded records that are unconfirmed: they were loaded
   * before this page had their pending write.
   */
  async fetchRecords({ roots, links }: AnswerIds): Promise<void> {
    const { graph } = this.#parts
    const ends = links.flatMap((id) => graph.connection(id) ?? []).flatMap((c) => [c.from, c.to])
    const loaded = [...roots, ...ends].flatMap((id) => graph.concept(id) ?? [])
    await Promise.all([this.fetchConnections(links, roots), this.#evictUnconfirmed(loaded)])
  }

  /**
   * Evicts the loaded records that `writes` may have created, because these writes are about to be shown as pending.
   * Returns whether there were any. The caller then fetches the records again, and the server decides which of them a
   * write created. Records that were changed meanwhile remain.
   */
  evictCandidates(writes: readonly Mutation[]): boolean {
    const { graph, hasPendingWrites } = this.#parts
    const candidates = findCandidates(graph, writes).filter((id) => !hasPendingWrites(id))
    this.#evict(candidates, [])
    return candidates.length > 0
  }

  /** Fetches concepts and the records inside them, loaded or not. Evicts records that the server does not have. */
  async refetch(ids: readonly Id[]): Promise<void> {
    const real = ids.map((id) => this.#parts.graph.real(id)).filter(isReal)
    for (const id of real) this.#absentSince.delete(id)
    await Promise.all([this.#refetchConcepts(real), this.#refetchRecords(real)])
    await this.#fetchTypes(real)
  }

  /**
   * Evicts connections inside compositions that the server did not list, unless a write was settled after the request.
   * `settledCount` is that of the graph at the time of the request.
   */
  evictUnlisted(mains: Iterable<Id>, listed: ReadonlySet<Id>, settledCount: number): void {
    const { graph, hasPendingWrites } = this.#parts
    if (graph.settledCount !== settledCount) return
    const evicted: Id[] = []
    for (const main of mains) {
      const synced = graph.connectionsOfType(main).filter((c) => isReal(c.id))
      const unlisted = synced.filter((c) => !listed.has(c.id))
      // For a removed record the server lists no connections. A record with pending writes is kept even then.
      if (unlisted.length < synced.length || !hasPendingWrites(main))
        evicted.push(...unlisted.map((c) => c.id))
    }
    this.#evict([], evicted)
  }

  /**
   * Evicts links of the roots that the server did not list although the query requests all links of their type.
   * Otherwise a write would treat them as existing. `settledCount` is that of the graph at the time of the request.
   */
  evictUnlistedLinks(
    hops: readonly Hop[],
    { roots, links }: AnswerIds,
    settledCount: number,
  ): void {
    const { graph } = this.#parts
    if (graph.settledCount !== settledCount) return
    const listed = new Set(links)
    const loaded = hops.filter(listsAllLinks).flatMap(({ connection = '', reverse }) => {
      const type = graph.type(connection)
      if (type === undefined) return []
      return roots.flatMap((root) => (reverse ? graph.in(root, type) : graph.out(root, type)))
    })
    const unlisted = loaded.flatMap(({ id }) => (isReal(id) && !listed.has(id) ? id : []))
    this.#evict([], unlisted)
  }

  /** Fetches the types of loaded concepts, which servers usually send with these. */
  #fetchTypes(ids: readonly Id[]): Promise<void> {
    return this.fetchConcepts(ids.flatMap((id) => this.#parts.graph.concept(id)?.type ?? []))
  }

  #isMissing(id: Id): boolean {
    const { graph } = this.#parts
    if (!isReal(id) || graph.concept(id)) return false
    // One user may read a concept that another may not.
    if (this.#absentUser !== graph.user) this.#absentSince.clear()
    this.#absentUser = graph.user
    const since = this.#absentSince.get(id) ?? -absenceLifetime
    return since < performance.now() - absenceLifetime
  }

  async #requestConcepts(
    ids: readonly Id[],
    request: Request,
    earlier?: Promise<unknown>,
  ): Promise<void> {
    const { found, unconfirmed } = await this.#repeatForUser(async () => {
      const found = decodeConcepts(await requestInParts(request, '/api/get_concept_bulk', ids))
      await earlier
      return { found, unconfirmed: await this.#evictUnconfirmed(found) }
    })
    this.#add({ concepts: found.filter((c) => !unconfirmed.has(c.id)), connections: [] })
    const foundIds = new Set(found.map((c) => c.id))
    this.#onAbsent(ids.filter((id) => !foundIds.has(id)))
  }

  /**
   * Evicts the records of pending writes without receipts. The page already shows these writes, and the receipts
   * add the records. Returns the ids of the evicted records.
   */
  async #evictUnconfirmed(concepts: readonly Concept[]): Promise<ReadonlySet<Id>> {
    const { graph, http, pending } = this.#parts
    const ids = await findUnconfirmed(graph, http, concepts, pending())
    const connections = ids.flatMap((id) => [...graph.allConnections(id)].map((c) => c.id))
    this.#evict(ids, connections)
    return new Set(ids)
  }

  /** Handles ids that the server does not have. */
  #onAbsent(ids: readonly Id[]): void {
    const { graph, hasPendingWrites } = this.#parts
    if (this.#absentSince.size > maxAbsentIds) this.#absentSince.clear()
    for (const id of ids) this.#absentSince.set(id, performance.now())
    this.#evict(
      ids.filter((id) => graph.concept(id) && !hasPendingWrites(id)),
      [],
    )
  }

  async #requestConnections(ids: readonly Id[]): Promise<void> {
    const connections = decodeConnections(
      await this.#repeatForUser(() => requestInParts(this.#read, '/api/get_connection_bulk', ids)),
    )
    this.#add({ concepts: [], connections })
  }

  async #requestRecords(ids: readonly Id[]): Promise<void> {
    const { settledCount } = this.#parts.graph
    const path = '/api/get_all_connections_of_composition_bulk'
    const connections = decodeConnections(
      await this.#repeatForUser(() => requestInParts(this.#post, path, ids)),
    )
    this.#add({ concepts: [], connections })
    this.evictUnlisted(ids, new Set(connections.map((c) => c.id)), settledCount)
    await this.fetchConcepts([...ids, ...connections.flatMap((c) => [c.from, c.to])])
  }

  /** Requests records that never change. Any server may respond. */
  readonly #read: Request = (path, ids) => this.#parts.http.readRecords(path, ids)

  /** Requests the current state from the main server. */
  readonly #post: Request = (path, ids) => this.#parts.http.post(path, ids)

  /** Repeats a request if another user is signed in when it has ended. */
  async #repeatForUser<T>(request: () => Promise<T>): Promise<T> {
    const { graph } = this.#parts
    const { user } = graph
    const response = await request().catch((error) => {
      if (user === graph.user) throw error
    })
    return user === graph.user ? (response as T) : this.#repeatForUser(request)
  }

  #evict(removeConcepts: readonly Id[], removeConnections: readonly Id[]): void {
    if (removeConcepts.length + removeConnections.length === 0) return
    const { graph, storage } = this.#parts
    graph.evict(removeConcepts, removeConnections)
    storage()?.cacheRecords({ removeConcepts, removeConnections })
  }

  #add(records: Records): void {
    this.#parts.graph.add(records)
    this.#parts.storage()?.cacheRecords(records)
  }
}

/** Reports whether an answer has all links of a hop from every root, because no page, condition or type limits them. */
const listsAllLinks = (hop: Hop): boolean =>
  hop.include === true &&
  !hop.legacy &&
  !hop.limit &&
  !hop.aggregate &&
  !hop.type &&
  !hop.conceptIds &&
  hop.name === undefined
