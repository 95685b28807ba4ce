import type { Reader } from '../composition/reader.ts'
import type { Concept } from '../graph/concept.ts'
import type { Id } from '../graph/id.ts'

/** What filters read besides. The in-page graph is one. */
export interface Source extends Reader {
  /** The id the server knows. */
  real(id: Id): Id
  /** The instances of a type themselves, in nearly the order of their age. */
  ofType(type: Id): readonly Concept[]
}
