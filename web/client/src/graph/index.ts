/*
 * Functions on the graph of a client: everything beyond the records and queries of `Client`. Each function is separate,
 * so that an application bundles only those it uses.
 *
 *   create-*.ts, prototype.ts, nested-records.ts, disconnect.ts   writes; record-batch.ts collects their records
 *   read-*.ts, list-links.ts, look-up-concepts.ts, all-connections.ts   reads; record-format.ts formats records
 *   mapped-query.ts       live queries over formatted rows
 *   server-requests.ts    requests for the current user, paging, offline fallback
 *
 * Writes are optimistic: they take effect in the local graph immediately and cost one pending write. Reads fetch the
 * records that are not loaded; while the server is unavailable, they return the local ones.
 */
export { allConnections } from './all-connections.ts'
export { createConcept, createRecord, createType } from './create-concept.ts'
export { createData, type DataOptions } from './create-data.ts'
export {
  type ConnectionWrite,
  type ConnectOptions,
  connect,
  type LinkerOptions,
  link,
  linkLegacy,
} from './create-link.ts'
export {
  type ConnectionEnds,
  disconnect,
  findConnectionsBetween,
  unlink,
  unlinkAll,
  unlinkEach,
} from './disconnect.ts'
export { increment } from './increment.ts'
export { countLinks, type LinksOptions, listLinks, readLinkCount, readLinks } from './list-links.ts'
export {
  findConcept,
  findConceptByText,
  getConcepts,
  getConnections,
  getType,
  getTypes,
  type PreloadOptions,
  prefetchConnections,
  preloadConcepts,
  resolveLocalId,
  waitUntilReady,
} from './look-up-concepts.ts'
export { removeWithNested, updateNestedRecord } from './nested-records.ts'
export { createPrototype, type Prototype } from './prototype.ts'
export { readData } from './read-data.ts'
export {
  type ListOptions,
  listRecords,
  type RecordView,
  readRecord,
  readRecords,
  type SearchOptions,
  searchRecords,
} from './read-records.ts'
export type { AccessOptions } from './record-batch.ts'
export { addLink, removeLink, setLink } from './set-link.ts'
export { type UpsertOptions, upsert } from './upsert.ts'
