import type { Id } from '../../src/graph/id.ts'
import type { Data } from '../data.ts'

/** A library that keeps a graph of concepts and connections in a page. */
export interface Library {
  readonly name: string
  /** True of one that there is nothing of without a browser. */
  readonly browser?: boolean
  /** Takes in all records, empty before, with what its reads need. */
  load(data: Data): Promise<Store>
}

/** The same questions to every library. Answers may come later. */
export interface Store {
  /** The value of a concept. */
  point(id: Id): unknown
  /** A concept by the name of its type and its value. */
  find(type: string, value: string): unknown
  /** A record as nested data. */
  record(id: Id): unknown
  /** Many records, where asking for them at once is better than one by one. */
  records?(ids: readonly Id[]): Promise<readonly unknown[]>
  /** Reads the record again after each change of it, and then calls told. */
  watch(id: Id, told: () => void): unknown
  /** Sets the price of a record. */
  update(id: Id, price: string): unknown
  /** Writes record n, as `fieldsOf` says it. */
  create(n: number): unknown
  /** Resolves when all that goes on after loads and writes, such as writing to the disk, is done. */
  settled?(): Promise<unknown>
  /** Ends it and forgets its data. */
  close(): unknown
}
