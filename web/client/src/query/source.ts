import type { Reader } from '../composition/reader.ts'
import type { Concept } from '../graph/concept.ts'
import type { Id } from '../graph/id.ts'

/** What filters read besides. The in-page graph is one. */
export interface Source extends Reader {
  /** The id the server knows. */
  real(id: Id): Id
  /** The concepts of a type, and perhaps some that `concept` does not know. */
  ofType(type: Id): readonly Concept[]
}
