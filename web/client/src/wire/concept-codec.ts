import type { Access, Concept } from '../model/concept.ts'
import type { Id } from '../model/id.ts'
import { expectList, expectRecord } from './expect.ts'

/** The JSON form of a concept, in requests and responses. */
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
  /** The position in a drawing. 0 is left out. */
  readonly x?: number | undefined
  readonly y?: number | undefined
  /** The type of the concept; present in responses, one level deep. */
  readonly type?: WireConcept | null
}

/**
 * Decodes a list of concepts and the types nested in them. Each is returned once. Id 0 means "no concept" and is
 * skipped.
 */
export function decodeConcepts(json: unknown): Concept[] {
  const found = new Map<Id, Concept>()
  for (const wire of expectList(json)) {
    const { type } = wire as WireConcept
    if (type && type.id > 0 && !found.has(type.id)) found.set(type.id, decodeConcept(type))
    const concept = decodeConcept(wire)
    if (concept.id > 0) found.set(concept.id, concept)
  }
  return [...found.values()]
}

function decodeConcept(json: unknown): Concept {
  const c = expectRecord<WireConcept>(json)
  return {
    id: c.id,
    type: c.typeId,
    category: c.categoryId,
    value: c.characterValue ?? '',
    owner: c.userId,
    access: c.accessId as Access,
    composition: c.isComposition,
    created: c.entryTimeStamp,
    ...(c.x && { x: c.x }),
    ...(c.y && { y: c.y }),
  }
}

/** Encodes a concept created by this client. The server resolves its type by `typeName`, not by the type's id. */
export const encodeConcept = (c: Concept, typeName: string): WireConcept => ({
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
  x: c.x,
  y: c.y,
})
