export type {
  Client,
  ClientOptions,
  FieldInput,
  Fields,
  FieldsInput,
  FieldValue,
  Format,
  LiveQuery,
  PendingWrite,
  Query,
  QueryOptions,
  QueryState,
  Sync,
  SyncStatus,
  Write,
} from './api.ts'
export { createClient } from './client.ts'
export type { Access, Concept } from './graph/concept.ts'
export type { Connection, Direction } from './graph/connection.ts'
export { type ErrorKind, WeftError } from './graph/error.ts'
export type { Id } from './graph/id.ts'
