import type { Draft } from './composition/build.ts'
import type { WriteRecords } from './internals.ts'
import type { Fetcher } from './live/remote/fetcher.ts'
import type { Graph } from './local/graph.ts'
import { type Concept, isType } from './model/concept.ts'
import type { Connection } from './model/connection.ts'
import { asWeftError } from './model/error.ts'
import { anonymous } from './model/fixed.ts'
import { type Id, isLocal } from './model/id.ts'
import type { Records } from './model/mutation.ts'
import { timestamp } from './model/timestamp.ts'
import { discardTransaction } from './sync/open-transaction.ts'
import type { Outbox } from './sync/outbox.ts'
import { createEndedWrite, followLater, type Write } from './sync/status.ts'
import type { Http } from './wire/http.ts'
import { ignoreError } from './wire/retry.ts'

/** The loaded state of a record at its removal: the concepts in it, and all their connections. */
export interface RemovedRecord {
  readonly main: Id
  readonly concepts: ReadonlyMap<Id, Concept>
  readonly connections: readonly Connection[]
  /**
   * The types of these concepts and connections, by id. They are kept here because they may be evicted from the graph.
   */
  readonly types: ReadonlyMap<Id, Concept>
}

/** The parts of a client that an undo uses. */
export interface RestoreParts {
  readonly graph: Graph
  readonly outbox: Outbox
  beginDraft(created: string): Draft
  recordsOf(draft: Draft): Records
  readonly record: WriteRecords
  readonly http: Http
  fetcher(): Promise<Fetcher>
}

/**
 * Undoes a removal. If the server does not have the removal yet, the removal is discarded, and the record keeps its ids
 * and all its connections. Otherwise the record is created again from the loaded state, and in this page the ids of the
 * removed record refer to the new record. After a removal was discarded, the record is refetched, because the server
 * may have the removal although its response was lost. If the removal belongs to a committed transaction, its result is
 * awaited first.
 */
export async function undoRemoval(
  parts: RestoreParts,
  removed: RemovedRecord,
  removal: Write,
): Promise<Write> {
  const { graph, outbox } = parts
  const m = outbox.pending.mutation(removal.key)
  if (m?.held) await discardTransaction(outbox, m.held, [removal.key])
  else if (m && m.batch === undefined) await outbox.discard(removal.key)
  const isRemoved = await removal.settled.then(
    () => true,
    () => false,
  )
  if (isRemoved) return createAgain(parts, removed)
  const { main } = removed
  const kept = createEndedWrite(main, () => graph.real(main))
  if (m?.held || isLocal(graph.real(main))) return kept
  const verified = refetchOnline(parts, main).then(() =>
    graph.concept(main) ? kept : createAgain(parts, removed),
  )
  return { ...followLater(main, verified), saved: kept.saved }
}

/** Refetches a record as soon as the server is reachable. Evicts the record if the server does not have it. */
async function refetchOnline({ outbox, http, fetcher }: RestoreParts, id: Id): Promise<void> {
  for (;;) {
    await untilOnline(outbox)
    if (http.closeSignal.aborted) return
    const error = await fetcher()
      .then((fetcher) => fetcher.refetch([id]))
      .then(ignoreError, asWeftError)
    if (error?.kind !== 'unavailable') return
  }
}

const untilOnline = (outbox: Outbox): Promise<void> =>
  new Promise((resolve) => {
    const check = () => {
      if (!outbox.get().online) return
      unsubscribe()
      resolve()
    }
    const unsubscribe = outbox.subscribe(check)
    check()
  })

function createAgain(parts: RestoreParts, removed: RemovedRecord): Write {
  const { main, concepts, connections, types } = removed
  const { graph, beginDraft, recordsOf, record } = parts
  const draft = beginDraft(timestamp())
  const typeOf = (name: string) => draft.typeOf(name, draft).concept.id
  const typeName = (id: Id) => types.get(id)?.value ?? ''
  const newIds = new Map([...concepts.keys()].map((id) => [id, draft.localIds.concept()]))
  const { owner } = draft
  for (const [id, c] of concepts)
    draft.concepts.push({ ...c, id: newIds.get(id) ?? 0, type: typeOf(typeName(c.type)), owner })
  const endOf = (id: Id) => newIds.get(id) ?? (graph.concept(id) ? graph.real(id) : undefined)
  for (const c of connections) {
    const type = types.get(c.type)
    const [from, to] = [endOf(c.from), endOf(c.to)]
    const typeId = type && isType(type) ? typeOf(type.value) : endOf(c.type)
    // Links that other users created cannot be restored.
    const mayAdd = newIds.has(c.from) || isOwn(graph, graph.concept(c.from))
    if (from === undefined || to === undefined || typeId === undefined || !mayAdd) continue
    const id = draft.localIds.connection()
    draft.connections.push({ ...c, id, from, to, type: typeId, owner })
  }
  const newMain = newIds.get(main) ?? 0
  const type = typeName(concepts.get(main)?.type ?? 0)
  const write = record(recordsOf(draft), 'create', newMain, { type })
  graph.replaceRemoved(main, newMain)
  return write
}

const isOwn = (graph: Graph, c: Concept | undefined): boolean =>
  c?.owner === anonymous || String(c?.owner) === graph.user
