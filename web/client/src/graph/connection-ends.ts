import type { Graph } from '../local/graph.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'

/** Throws `invalid` unless a new connection has a type and two different ends. */
export function checkEnds(graph: Graph, from: Id, type: Id, to: Id): void {
  if (from && to && type && graph.canonical(from) !== graph.canonical(to)) return
  const seen = `from ${from}, to ${to}, type ${type}`
  throw new WeftError(
    'invalid',
    `a connection needs a type and two different concepts; got ${seen}`,
  )
}
