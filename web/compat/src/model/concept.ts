/** A concept in the shape of the wire contract. Its id is positive if the server has the concept, and negative before that. */
export class Concept {
  id: number
  ghostId: number
  count = 0
  userId: number
  typeId: number
  categoryId: number
  accessId: number
  characterValue: string
  /** Name of the type. */
  typeCharacter: string
  entryTimeStamp: string | Date
  referentId: number
  updatedTimeStamp: string | Date
  referent: any = null
  /** The type concept, or null. */
  type: any = null
  isNew: boolean
  isComposition = false
  isTemp = false
  isSynced = false
  applicationId = 0
  x = 0
  y = 0

  constructor(
    id: number,
    userId: number,
    typeId: number,
    categoryId: number,
    referentId: number | null,
    characterValue: string,
    accessId: number,
    isNew: boolean | undefined,
    entryTimeStamp: Date | string,
    updatedTimeStamp: Date | string,
    typeCharacter: string,
  ) {
    this.id = id
    this.ghostId = id
    this.userId = userId
    this.typeId = typeId
    this.categoryId = categoryId
    this.referentId = referentId ?? 0
    this.characterValue = characterValue
    this.accessId = accessId
    this.isNew = isNew ?? false
    this.entryTimeStamp = entryTimeStamp
    this.updatedTimeStamp = updatedTimeStamp
    this.typeCharacter = typeCharacter
  }

  /** Does nothing: the type is always loaded with the concept. */
  getType(): void {}
}

/** A concept that was created in this browser. */
export class LConcept {
  id: number
  structureType = 'LConcept'
  ghostId: number
  userId: number
  typeId: number
  categoryId: number
  accessId: number
  characterValue: string
  typeCharacter: string
  entryTimeStamp: Date
  referentId: number
  updatedTimeStamp: Date
  type: any = null
  isNew: boolean
  isComposition = false
  isTemp = true
  isSynced = false
  applicationId = 0

  constructor(
    id: number,
    userId: number,
    typeId: number,
    categoryId: number,
    accessId: number,
    characterValue: string,
    typeCharacter: string,
    isNew: boolean | undefined,
    entryTimeStamp: Date,
    updatedTimeStamp: Date,
    referentId: number,
  ) {
    this.id = id
    this.ghostId = id
    this.userId = userId
    this.typeId = typeId
    this.categoryId = categoryId
    this.accessId = accessId
    this.characterValue = characterValue
    this.typeCharacter = typeCharacter
    this.isNew = isNew ?? false
    this.entryTimeStamp = entryTimeStamp
    this.updatedTimeStamp = updatedTimeStamp
    this.referentId = referentId
  }

  /** Does nothing: the type is always loaded with the concept. */
  getType(): void {}
}

/** Returns the concept that the wire contract uses for "no concept": it has the id 0 and the text `0`. */
export function CreateDefaultConcept(): Concept {
  const now = new Date()
  return new Concept(0, 0, 0, 0, 0, '0', 0, false, now, now, '0')
}

export const CreateDefaultLConcept = (): Concept => CreateDefaultConcept()

/** Returns a copy of the concept. This package also represents local concepts as `Concept`. */
export const convertFromConceptToLConcept = (concept: Concept): Concept =>
  Object.assign(CreateDefaultConcept(), concept)

export const convertFromLConceptToConcept = (lconcept: Concept): Concept =>
  convertFromConceptToLConcept(lconcept)
