import type { Access } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import { expectList, expectRecord } from './expect.ts'

/** The JSON form of a connection, in requests and responses. */
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

/** Decodes a list of connections. Id 0 means "no connection" and is skipped. */
export function decodeConnections(json: unknown): Connection[] {
  return expectList(json)
    .map(decodeConnection)
    .filter((c) => c.id > 0)
}

function decodeConnection(json: unknown): Connection {
  const c = expectRecord<WireConnection>(json)
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

/** Encodes a connection created by this client. */
export const encodeConnection = (c: Connection): WireConnection => ({
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
