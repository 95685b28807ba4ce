import type { Access } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { listOf, recordOf } from './shape.ts'

/** The JSON shape of a connection, in requests and in answers. */
export interface WireConnection {
  readonly id: number
  readonly ghostId: number
  readonly ofTheConceptId: number
  readonly toTheConceptId: number
  readonly typeId: number
  readonly orderId: number
  readonly userId: number
  readonly accessId: number
  readonly typeCharacter: string
  readonly entryTimeStamp: string
}

/** The connections of an answer, without those that came to nothing. */
export function connectionsOf(answer: unknown): Connection[] {
  const list = listOf(answer)
  return list.map(connectionOf).filter((c) => c.id > 0)
}

function connectionOf(json: unknown): Connection {
  const c = recordOf<WireConnection>(json)
  return {
    id: c.id,
    from: c.ofTheConceptId,
    to: c.toTheConceptId,
    type: c.typeId,
    order: c.orderId,
    owner: c.userId,
    access: c.accessId as Access,
    created: c.entryTimeStamp,
  }
}

export const connectionDraft = (c: Connection): WireConnection => ({
  id: c.id,
  ghostId: c.id,
  ofTheConceptId: c.from,
  toTheConceptId: c.to,
  typeId: c.type,
  orderId: c.order,
  userId: c.owner,
  accessId: c.access,
  typeCharacter: '',
  entryTimeStamp: c.created,
})
