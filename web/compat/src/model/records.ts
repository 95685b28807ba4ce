import type { Concept } from './concept.ts'
import type { Connection } from './connection.ts'
import { anonymousUser, PRIVATE } from './constants.ts'

/** Collects the records that calls create. Calls add to these lists. */
export interface InnerActions {
  concepts: Concept[]
  connections: Connection[]
}

/** A change of a composition. */
export class PatcherStructure {
  compositionId = 0
  userId: number = anonymousUser
  sessionId = 999
  accessId: number = PRIVATE
  /** The record inside the composition that is changed; 0 means the composition itself. */
  ofTheCompositionId = 0
  patchObject: any = {}
}

export interface PrototypeOption {
  type: string
  value: string
}

export interface QuerySelector {
  filterType: string
  selector: string
}

/** Describes the members of a type. */
export class Prototype {
  prototype = ''
  required: string[] = []
  optional: string[] = []
  field = 'string'
  childPrototypes: Prototype[] = []
  isCompositional = false
  options: PrototypeOption[] = []
  isQueryType = false
  querySelector: QuerySelector = null as unknown as QuerySelector
  concepts: Concept[] = []
  connections: Connection[] = []
  addedConcepts: Concept[] = []
  addedConnections: Connection[] = []
}

/** A visitor's session, as a site reports it. */
export class SessionData {
  id = '0'
  remote_address = ''
  server_port = ''
  server_address = ''
  server_name = ''
  server_software = ''
  http_user_agent = ''
  self = ''
  port = ''
  userId = ''
  email = ''
}
