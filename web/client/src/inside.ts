import type { Client, Write } from './api.ts'
import type { TypeOf } from './composition/build.ts'
import type { Id } from './graph/id.ts'
import type { Mutation, Records } from './graph/mutation.ts'
import type { Fetcher } from './live/fetcher.ts'
import type { Queries } from './live/queries.ts'
import type { Graph } from './local/graph.ts'
import type { localIds } from './store/local-ids.ts'
import type { Storage } from './store/storage.ts'
import type { Outbox } from './sync/outbox.ts'
import type { Http } from './wire/http.ts'

/** What the other entries of this package reach of a client. It is for them alone: it changes without notice. */
export interface Inside {
  /** Of its database, the channel and the lock of its tabs, and the task of a worker that sends for it. */
  readonly name: string
  readonly graph: Graph
  readonly http: Http
  readonly ids: ReturnType<typeof localIds>
  readonly outbox: Outbox
  readonly queries: Queries
  fetcher(): Promise<Fetcher>
  /** Undefined until the disk is read, and where there is none. */
  storage(): Storage | undefined
  /** The type concept of that name, with the local id it goes by in all that this page writes. */
  readonly typeOf: TypeOf
  /** Shows, saves and sends records with local ids as one write. The types they refer to are among the concepts, first. */
  write: WriteRecords
  /** Told of what an application is handed, while a tracker counts that: concepts, and connections. */
  used?: ((concepts: readonly Id[], connections?: readonly Id[]) => void) | undefined
  /** What an application writes with, of finished records that something else takes in. */
  writing(write: WriteRecords): Pick<Client, 'create' | 'update' | 'remove'>
}

export type WriteRecords = (
  records: Records,
  kind: Mutation['kind'],
  /** The record it is about. */
  id: Id,
  removeConcepts?: readonly Id[],
  removeConnections?: readonly Id[],
  /** Type name of a creation. */
  type?: string,
  /** The transaction that is to send it. */
  held?: string,
) => Write

/** Where a client keeps it, the same for every copy of this module that a page may hold. */
export const within = Symbol.for('weft')

export interface Hidden {
  readonly [within]: Inside
}

/** What a client keeps for the entries of this package. */
export const insideOf = (client: Client): Inside => (client as Client & Hidden)[within]
