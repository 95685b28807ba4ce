import type { Concept } from './concept.ts'
import type { Connection } from './connection.ts'
import type { ErrorKind } from './error.ts'
import type { Id } from './id.ts'

/**
 * One write, kept until the server has taken it. It says all it needs: every value and every type it refers
 * to is among its concepts, the types first, whether or not the server has them. Only the record it changes
 * may be somebody else's.
 */
export interface Mutation {
  readonly key: string
  readonly kind: 'create' | 'update' | 'remove'
  /** The record it is about. */
  readonly id: Id
  /** Type name of a creation. */
  readonly type?: string | undefined
  readonly at: string
  /** Who made it, as `userOf` tells. One made by nobody is whoever's signs in. */
  readonly user?: string | undefined
  /** Of one made by nobody, the session it was made in: by that alone the server knows it when it comes again. */
  readonly session?: string | undefined
  /** The transaction it waits for: it is shown and saved, and not sent. */
  readonly held?: string | undefined
  /** Writes of one batch go as one request, whole or not at all, and fail, are retried and discarded together. */
  readonly batch?: string | undefined
  /** The store its real ids are from, if that was known. */
  readonly store?: string | undefined
  readonly concepts: readonly Concept[]
  readonly connections: readonly Connection[]
  readonly removeConcepts: readonly Id[]
  readonly removeConnections: readonly Id[]
  /** Set once the server refused it. */
  readonly failed?: { readonly kind: ErrorKind; readonly message: string } | undefined
}

/** What the server made of a mutation: its records with real ids, and which local id became which. */
export interface Receipt extends Records {
  readonly conceptIds: readonly (readonly [local: Id, real: Id])[]
  readonly connectionIds: readonly (readonly [local: Id, real: Id])[]
  /** What it removed, by real ids. */
  readonly removeConcepts?: readonly Id[]
  readonly removeConnections?: readonly Id[]
}

/** What a receipt says to somebody who may not see the records: which ids became which, and what is gone. */
export const idsOf = (receipt: Receipt): Receipt => ({ ...receipt, concepts: [], connections: [] })

/** Records as they come from the server or the cache. */
export interface Records {
  readonly concepts: readonly Concept[]
  readonly connections: readonly Connection[]
}
