export type {
  Client,
  ClientExtension,
  ClientOptions,
  QueryOptions,
  Removal,
  Sync,
  UpdateOptions,
  Write,
} from './api.ts'
export { createClient } from './client.ts'
export type { FieldInput, Fields, FieldsInput, FieldValue } from './composition/value.ts'
export type { LiveQuery, QueryState } from './live/state.ts'
export type { Access, Concept } from './model/concept.ts'
export type { Connection, Direction } from './model/connection.ts'
export { type ErrorKind, WeftError } from './model/error.ts'
export type { Id } from './model/id.ts'
export type { AnswerDetails, Filter, Format, Groups, Query } from './query/query.ts'
export type { PendingWrite, SyncStatus } from './sync/status.ts'
