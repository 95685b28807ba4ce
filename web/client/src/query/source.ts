import type { Reader } from '../composition/reader.ts'
import type { Concept } from '../model/concept.ts'
import type { Id } from '../model/id.ts'

/** The graph that filtered queries read. The local graph implements it. */
export interface Source extends Reader {
  /** Returns the real id of a concept, or the given id while it has none. */
  real(id: Id): Id
  /** Lists the concepts of a type. The list may include hidden concepts, which `concept` does not return. */
  ofType(type: Id): readonly Concept[]
}
