export type { Access, Concept } from './graph/concept.ts'
export type { Connection, Direction } from './graph/connection.ts'
export type { Id } from './graph/id.ts'
