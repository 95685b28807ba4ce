import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'

/**
 * What the rules read. The in-page graph is one. Nothing is fetched: what is not here is not there.
 * A record that answers to two ids comes back under one of them, the same everywhere. Lists belong to
 * the graph and are read at once; "oldest first" is the order of `byAge`.
 */
export interface Reader {
  concept(id: Id): Concept | undefined
  connection(id: Id): Connection | undefined
  /** The connections that leave a concept, of one type or of every type, oldest first. */
  out(id: Id, type?: Id): readonly Connection[]
  /** The connections that arrive at a concept, of one type or of every type, oldest first. */
  in(id: Id, type?: Id): readonly Connection[]
  /** The type concept of that name. */
  type(name: string): Id | undefined
  /** A value of the type of that name. */
  find(type: string, value: string): Concept | undefined
  /** The instances of a type, oldest first. */
  instances(type: Id): readonly Id[]
}

/** The connections inside a composition, at any depth, as far as some lead that are not cut. Texts hold nothing. */
export function inside(graph: Reader, main: Id, cut?: ReadonlySet<Id>): Connection[] {
  const links: Connection[] = []
  const seen = new Set([main])
  for (const id of seen) {
    if (graph.concept(id)?.value) continue
    for (const link of graph.out(id, main)) {
      if (cut?.has(link.id)) continue
      links.push(link)
      seen.add(link.to)
    }
  }
  return links
}

/** Sorts ids oldest first: real ones as the server gave them, then local ones, which count downwards. */
export const byAge = (a: Id, b: Id): number => (a > 0 === b > 0 ? Math.abs(a) - Math.abs(b) : b - a)
