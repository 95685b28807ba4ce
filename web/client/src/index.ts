export type {
  Client,
  ClientOptions,
  QueryOptions,
  Sync,
  Write,
} from './api.ts'
export { createClient } from './client.ts'
export type { FieldInput, Fields, FieldsInput, FieldValue } from './composition/value.ts'
export type { Access, Concept } from './graph/concept.ts'
export type { Connection, Direction } from './graph/connection.ts'
export { type ErrorKind, WeftError } from './graph/error.ts'
export type { Id } from './graph/id.ts'
export type { LiveQuery, QueryState } from './live/state.ts'
export type { Filter, Format, Groups, More, Query } from './query/query.ts'
export type { PendingWrite, SyncStatus } from './sync/status.ts'
