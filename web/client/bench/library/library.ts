import type { Id } from '../../src/model/id.ts'
import type { Data } from '../data.ts'

/** A library that keeps a graph of concepts and connections in a page. */
export interface Library {
  readonly name: string
  /** True for a library that only works in a browser. */
  readonly browser?: boolean
  /** Loads all records into an empty store and builds the indexes that reads need. */
  load(data: Data): Promise<Store>
}

/** The operations that every library is measured with. Results may be promises. */
export interface Store {
  /** Returns the value of a concept. */
  point(id: Id): unknown
  /** Returns a concept by the name of its type and its value. */
  find(type: string, value: string): unknown
  /** Returns a record as nested data. */
  record(id: Id): unknown
  /** Reads many records, for libraries where that is faster than one by one. */
  records?(ids: readonly Id[]): Promise<readonly unknown[]>
  /** Reads the record again after each of its changes, and then calls `onRead`. */
  watch(id: Id, onRead: () => void): unknown
  /** Sets the price of a record. */
  update(id: Id, price: string): unknown
  /** Writes record n, with the fields of `fieldsOf(n)`. */
  create(n: number): unknown
  /** Resolves when the work after loads and writes, such as writing to the disk, is done. */
  settled?(): Promise<unknown>
  /** Closes the store and deletes its data. */
  close(): unknown
}
