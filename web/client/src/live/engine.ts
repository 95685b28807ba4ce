import type { Graph } from '../local/graph.ts'
import type { Watched } from '../local/watchers.ts'
import type { Id } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import type { Answer, Format, Query } from '../query/query.ts'
import { executeQuery } from '../query/run.ts'
import { shapeAnswer } from '../query/shape.ts'
import { encodeQuery } from '../wire/query-codec.ts'
import {
  dependencies,
  listsWholeRecords,
  project,
  type View,
  withoutPending,
} from './projection.ts'

/**
 * Executes queries on the graph of the page. There are two engines: `plainEngine` is part of the core, and the one in
 * `filters/` is loaded for queries with filters and aggregates.
 */
export interface Engine {
  /** Answers a query from the graph alone, before the server has responded. */
  run(graph: Graph, query: Query): Answer
  /** Applies local changes to an answer of the server: removed and newly loaded records, and pending writes. */
  project(graph: Graph, query: Query, answer: Answer, pending: readonly Mutation[]): Answer
  /**
   * Returns the answer that the server gives next: that of a view whose writes were settled, except for `pending`. The effect of
   * these is taken out.
   */
  withoutPending(graph: Graph, query: Query, view: View, pending: readonly Mutation[]): Answer
  /**
   * Returns the keys on which the answer depends: when one of them is notified, the query must run again. 0 means a
   * type that is not loaded. An id in the form of text is only compared with changes that the server announces. A
   * query with filters also depends on `key`, the text of the query, which is notified when a value that the filters
   * may match is added or removed.
   */
  dependencies(graph: Graph, query: Query, answer: Answer, key: string): Set<Watched>
  /** Reports whether answers list every connection inside their roots. */
  listsWholeRecords(query: Query): boolean
  encodeRequest(query: Query, real: (id: Id) => Id): object
  /** Adds to an answer the members that only some responses have. */
  decodeDetails(answer: Answer, json: unknown): Answer
  format(graph: Graph, answer: Answer, format: Format): readonly unknown[]
}

/** A format that another entry point of this package defines. */
export interface RowFormat {
  /** Distinguishes queries of the same text that have different formats. */
  readonly key: string
  /**
   * Returns the rows of an answer, which must depend on nothing but the records of the answer. `run` executes a query on
   * the graph of the page.
   */
  toRows(answer: Answer, run: (query: Query) => Answer): readonly unknown[]
}

/** The engine for queries without filters. */
export const plainEngine = {
  run: executeQuery,
  project,
  withoutPending,
  dependencies,
  listsWholeRecords,
  encodeRequest: encodeQuery,
  decodeDetails: (answer) => answer,
  format: shapeAnswer,
} satisfies Engine
