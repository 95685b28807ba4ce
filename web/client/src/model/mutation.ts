import type { Concept } from './concept.ts'
import type { Connection } from './connection.ts'
import type { ErrorKind, Refused } from './error.ts'
import type { Id } from './id.ts'

/**
 * A write in the form in which it is applied, stored and sent. It is self-contained: `concepts` contains every value
 * and type that it refers to, types first, even those that the server already has. Only the record that it changes may
 * belong to another user.
 */
export interface Mutation {
  readonly key: string
  readonly kind: 'create' | 'update' | 'remove'
  /** The record that is written. */
  readonly id: Id
  /** Type name of a creation. */
  readonly type?: string | undefined
  /** Time of the write, ISO 8601. */
  readonly at: string
  /** The user who made the write. A mutation made while signed out is adopted by the next user who signs in. */
  readonly user?: string | undefined
  /** For a mutation made while signed out: the session. The server uses it to recognise a repeated request. */
  readonly session?: string | undefined
  /** The open transaction that the mutation belongs to. A held mutation is applied and stored, but not sent. */
  readonly held?: string | undefined
  /**
   * Key of a batch. The mutations of a batch are sent as one request. They succeed, fail, are retried and are discarded
   * together.
   */
  readonly batch?: string | undefined
  /** The store that the real ids belong to, if that was known. */
  readonly store?: string | undefined
  readonly concepts: readonly Concept[]
  readonly connections: readonly Connection[]
  readonly removeConcepts: readonly Id[]
  readonly removeConnections: readonly Id[]
  /** Fields that the server computes by adding a number to its current value. */
  readonly increments?: readonly Increment[] | undefined
  /**
   * New records that the server replaces by a matching existing record, if it has one. A write with an upsert is sent
   * alone.
   */
  readonly upserts?: readonly Upsert[] | undefined
  /** The error with which the server refused the mutation. */
  readonly failed?: Failure | undefined
}

/** The stored form of the error of a refused write. */
export interface Failure extends Refused {
  readonly kind: ErrorKind
  readonly message: string
}

/** `concept` is the expected new value of a field; the server adds `by` to its current value. */
export interface Increment {
  readonly concept: Id
  readonly by: string
}

/** `concept` is a new record; an existing record with the same value of the type `by` replaces it. */
export interface Upsert {
  readonly concept: Id
  readonly by: string
}

/** The server's result of a mutation: the records with real ids, and the real id of each local id. */
export interface Receipt extends Records {
  readonly conceptIds: readonly (readonly [local: Id, real: Id])[]
  readonly connectionIds: readonly (readonly [local: Id, real: Id])[]
  /** The real ids of the concepts that the mutation removed. */
  readonly removeConcepts?: readonly Id[]
  readonly removeConnections?: readonly Id[]
}

/** Returns the receipt without its records, for a user who may not read them: only the ids and the removals. */
export const withoutRecords = (receipt: Receipt): Receipt => ({
  ...receipt,
  concepts: [],
  connections: [],
})

/** Records as the server or the cache returns them. */
export interface Records {
  readonly concepts: readonly Concept[]
  readonly connections: readonly Connection[]
}
