import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import type { Watched } from '../local/watchers.ts'
import { format } from '../query/format.ts'
import type { Answer, Format, Query } from '../query/query.ts'
import { run } from '../query/run.ts'
import { queryRequest } from '../wire/query.ts'
import { interests, project, whole } from './projection.ts'

/** Answers queries from the graph of the page, and knows what they hang on. */
export interface Engine {
  /** What the graph here says before the server said anything. */
  run(graph: Graph, query: Query): Answer
  /** An answer of the server as it stands with what is known and written here. */
  project(graph: Graph, query: Query, answer: Answer, pending: readonly Mutation[]): Answer
  /** What was shown with some writes, without those that wait still. */
  settled(graph: Graph, query: Query, view: Answer, pending: readonly Mutation[]): Answer
  /**
   * What must be watched for an answer to stay true, 0 standing for a type that is not known yet. The text of
   * an id is for changes elsewhere alone.
   */
  interests(graph: Graph, query: Query, answer: Answer, key: string): Set<Watched>
  /** Says whether answers list all there is inside their roots. */
  whole(query: Query): boolean
  request(query: Query, real: (id: Id) => Id): object
  /** An answer with what only some answers say besides. */
  told(answer: Answer, json: unknown): Answer
  format(graph: Graph, answer: Answer, form: Format): readonly unknown[]
}

/** For queries without filters and what else `filtered.ts` is for. */
export const plain = {
  run,
  project,
  // What waits is added to it anew. What the server told of before it was known to be ours is there once.
  settled: (graph, query, view) => project(graph, query, view, []),
  interests,
  whole,
  request: queryRequest,
  told: (answer) => answer,
  format,
} satisfies Engine
