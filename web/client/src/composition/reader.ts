import type { Concept } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import type { Id } from '../model/id.ts'

/**
 * The read interface of a graph; the graph of the page implements it. Reads are synchronous and fetch nothing: a record
 * that is not loaded does not exist. A concept that has a local id and a real id is always returned under the same id.
 * Returned lists belong to the graph: they must not be modified or kept. "Oldest first" is the order of `byAge`.
 */
export interface Reader {
  concept(id: Id): Concept | undefined
  connection(id: Id): Connection | undefined
  /** Returns the connections from a concept, of one type or of all types, oldest first. */
  out(id: Id, type?: Id): readonly Connection[]
  /** Returns the connections to a concept, of one type or of all types, oldest first. */
  in(id: Id, type?: Id): readonly Connection[]
  /** Returns the type concept of that name. */
  type(name: string): Id | undefined
  /** Returns a value of the type of that name. */
  find(type: string, value: string): Concept | undefined
  /** Returns the instances of a type, oldest first. */
  instances(type: Id): readonly Id[]
}

/**
 * Returns the connections inside a composition that can be reached from its main concept, or from the record `from` in
 * it, at any depth. Connections in `cut` are not followed and not returned.
 */
export function collectInside(
  graph: Reader,
  main: Id,
  { from = main, cut }: { readonly from?: Id; readonly cut?: ReadonlySet<Id> } = {},
): Connection[] {
  const links: Connection[] = []
  const reached = new Set([from])
  for (const id of reached) {
    if (graph.concept(id)?.value) continue
    for (const link of graph.out(id, main)) {
      if (cut?.has(link.id)) continue
      links.push(link)
      reached.add(link.to)
    }
  }
  return links
}

/** Compares ids by age, oldest first: real ids ascending, then local ids, which are counted downwards. */
export const byAge = (a: Id, b: Id): number => (a > 0 === b > 0 ? Math.abs(a) - Math.abs(b) : b - a)
