import { CreateDefaultConcept } from './concept.ts'

/** A connection in the shape of the wire contract. */
export class Connection {
  id: number
  count = 0
  userId: number
  ghostId: number
  ofTheConceptId: number
  toTheConceptId: number
  entryTimeStamp: string | Date = new Date()
  terminationDateTime = new Date()
  typeId: number
  orderId: number
  accessId: number
  /** Name of the type, if the creator set it. */
  typeCharacter = ''
  localSyncTime = new Date()
  isTemp = false
  toUpdate = false
  applicationId = 0
  type = CreateDefaultConcept()
  ofConcept = CreateDefaultConcept()
  toConcept = CreateDefaultConcept()

  constructor(
    id: number | undefined,
    ofTheConceptId: number,
    toTheConceptId: number,
    userId: number,
    typeId: number,
    orderId: number,
    accessId: number,
  ) {
    this.id = id ?? 0
    this.ghostId = this.id
    this.ofTheConceptId = ofTheConceptId
    this.toTheConceptId = toTheConceptId
    this.userId = userId
    this.typeId = typeId
    this.orderId = orderId
    this.accessId = accessId
  }
}

/** A connection that was created in this browser. */
export class LConnection {
  id: number
  ghostId: number
  ofTheConceptId: number
  toTheConceptId: number
  entryTimeStamp: string | Date = new Date()
  terminationDateTime = new Date()
  accessId: number
  typeId: number
  orderId: number
  typeCharacter = ''
  localSyncTime = new Date()
  isTemp = true
  applicationId = 0
  type = CreateDefaultConcept()

  constructor(
    id: number,
    ofTheConceptId: number,
    toTheConceptId: number,
    typeId: number,
    orderId: number,
    accessId: number,
  ) {
    this.id = id
    this.ghostId = id
    this.ofTheConceptId = ofTheConceptId
    this.toTheConceptId = toTheConceptId
    this.typeId = typeId
    this.orderId = orderId
    this.accessId = accessId
  }
}

/** Returns the connection that the wire contract uses for "no connection". */
export const createDefaultConnection = (): Connection => new Connection(0, 0, 0, 0, 0, 0, 0)
