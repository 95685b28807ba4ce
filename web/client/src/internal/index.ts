/*
 * Parts of the client for the other packages of this repository, such as `@weft/compat`. They are private: they change
 * without notice, and applications must not import them. `docs/client-api.md` leaves them out.
 */
export { buildFields } from '../composition/build.ts'
export { read, type Shape } from '../composition/read.ts'
export type { Reader } from '../composition/reader.ts'
export { type FieldInput, type FieldsInput, setOwn } from '../composition/value.ts'
export { type Batch, createBatch } from '../graph/record-batch.ts'
export { addReceived, orLocal, requestAsUser } from '../graph/server-requests.ts'
export { type Internals, internalsKey, internalsOf, type WriteRecords } from '../internals.ts'
export { isType } from '../model/concept.ts'
export { asWeftError } from '../model/error.ts'
export type { Records } from '../model/mutation.ts'
export { withoutPrefix, withPrefix } from '../model/type.ts'
export { type Logic, parseLogic } from '../query/logic.ts'
export type { Answer, Query } from '../query/query.ts'
export { shapeAnswer } from '../query/shape.ts'
export { decodeConcepts } from '../wire/concept-codec.ts'
export { decodeConnections } from '../wire/connection-codec.ts'
