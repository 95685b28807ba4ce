import type { Access, Concept } from '../graph/concept.ts'
import type { Id } from '../graph/id.ts'
import { listOf, recordOf } from './shape.ts'

/** The JSON shape of a concept, in requests and in answers. */
export interface WireConcept {
  readonly id: number
  readonly ghostId: number
  readonly userId: number
  readonly typeId: number
  readonly categoryId: number
  readonly characterValue: string
  readonly accessId: number
  readonly typeCharacter: string
  readonly isComposition: boolean
  readonly entryTimeStamp: string
  /** Nested one level in answers. */
  readonly type?: WireConcept | null
}

/** The concepts of an answer, and the types nested in them, once each. Records with id 0 are nobody. */
export function conceptsOf(answer: unknown): Concept[] {
  const found = new Map<Id, Concept>()
  for (const wire of listOf(answer)) {
    const { type } = wire as WireConcept
    if (type && type.id > 0 && !found.has(type.id)) found.set(type.id, conceptOf(type))
    const concept = conceptOf(wire)
    if (concept.id > 0) found.set(concept.id, concept)
  }
  return [...found.values()]
}

function conceptOf(json: unknown): Concept {
  const c = recordOf<WireConcept>(json)
  return {
    id: c.id,
    type: c.typeId,
    category: c.categoryId,
    value: c.characterValue ?? '',
    owner: c.userId,
    access: c.accessId as Access,
    composition: c.isComposition,
    created: c.entryTimeStamp,
  }
}

/** A concept made here, as the server wants to hear of it: the name of its type decides what it becomes. */
export const conceptDraft = (c: Concept, typeName: string): WireConcept => ({
  id: c.id,
  ghostId: c.id,
  userId: c.owner,
  typeId: c.type,
  categoryId: c.category,
  characterValue: c.value,
  accessId: c.access,
  typeCharacter: typeName,
  isComposition: c.composition,
  entryTimeStamp: c.created,
})
