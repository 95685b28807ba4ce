import type { Client, Write } from '../api.ts'
import { byAge } from '../composition/reader.ts'
import type { FieldsInput } from '../composition/value.ts'
import { internalsOf } from '../internals.ts'
import { isShared } from '../model/concept.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { withoutPrefix, withPrefix } from '../model/type.ts'
import { type AccessOptions, createBatch } from './record-batch.ts'
import { checkTypeName } from './type-names.ts'

export interface UpsertOptions extends AccessOptions {
  /** The field that identifies the record, such as `email`. Its value has 1 to 255 characters. */
  readonly by: string
}

/**
 * Updates the record of a type whose field `by` has the given value, or creates it. If no live query or listener has such
 * a record, and none has pending writes, this page shows a new record, and the server decides. If the server finds the
 * record among those that the user may change, it sets the given fields and keeps the others; otherwise it creates the
 * record. Clients that upsert the same key at the same time, even offline, therefore end up with one record. The local
 * id of this write remains valid in both cases.
 *
 * Throws `invalid` if the fields have no value for the key.
 */
export function upsert(
  client: Client,
  type: string,
  { by, access }: UpsertOptions,
  fields: FieldsInput,
): Write {
  const internals = internalsOf(client)
  const name = withoutPrefix(by)
  const input = fields[name] ?? fields[withPrefix(by)]
  const key = typeof input === 'object' || input === undefined ? '' : String(input)
  if (!isShared(key))
    throw new WeftError(
      'invalid',
      `an upsert by ${name} needs a value of 1 to 255 characters for ${name}, not ${key.length}`,
    )
  const existing = findRecordByKey(client, checkTypeName(type), withPrefix(by), key)
  if (existing !== undefined) return client.update(existing, fields)
  const batch = createBatch(internals, access)
  const id = batch.addValue(type, fields)
  const upserts = [{ concept: id, by: withPrefix(by) }]
  return internals.write(batch.records(), 'create', id, { type, upserts })
}

/**
 * Returns the oldest record of a type that has the given value of a field, if a live query or listener has the record,
 * or it has pending writes. Another client may have removed any other loaded record, or changed its key.
 */
export function findRecordByKey(
  client: Client,
  type: string,
  keyType: string,
  key: string,
): Id | undefined {
  const { graph } = internalsOf(client)
  const isFollowed = (id: Id) => graph.watchers.has(id) || client.pending(id) !== undefined
  const isRecord = (id: Id) => {
    const c = graph.concept(id)
    const isOfType = c?.composition && graph.concept(c.type)?.value === type
    return isOfType && isFollowed(id) && client.record(id)?.[withoutPrefix(keyType)] === key
  }
  return graph
    .findAll(keyType, key)
    .flatMap((value) => graph.in(value.id))
    .flatMap((link) => (link.from === link.type && isRecord(link.from) ? link.from : []))
    .sort((a, b) => byAge(graph.real(a), graph.real(b)))[0]
}
