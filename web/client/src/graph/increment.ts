import type { Client, Write } from '../api.ts'
import { incrementText } from '../composition/increment.ts'
import { patch } from '../composition/patch.ts'
import { fieldNameOf } from '../composition/read.ts'
import { internalsOf } from '../internals.ts'
import { isType } from '../model/concept.ts'
import { orderPatch } from '../model/connection.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { timestamp } from '../model/timestamp.ts'
import { withoutPrefix } from '../model/type.ts'
import { createEndedWrite } from '../sync/status.ts'

/**
 * Adds a number to a field of a record. Increments that several clients make at the same time, even offline, add up,
 * because the server adds each increment to its own value. A field without a value counts as 0. If another client sets
 * the field, the last write to reach the server wins, and later increments are added to its value.
 *
 * Integers are exact. Decimals are added exactly, and the sum is rounded to the nearest number. Throws `notFound` if
 * the record is not loaded. Throws `invalid` if the field or `n` is not a number, or if the sum is too large.
 */
export function increment(client: Client, id: Id, field: string, n: number): Write {
  const internals = internalsOf(client)
  const { graph } = internals
  if (!Number.isFinite(n)) throw new WeftError('invalid', `cannot add ${n} to ${field}`)
  const main = graph.canonical(id)
  const draft = internals.beginDraft(timestamp(), orderPatch)
  const before = textOf(client, main, field)
  const changes = { [field]: incrementText(before, String(n)) }
  const removeConnections = patch(graph, { main }, changes, draft)
  const records = internals.recordsOf(draft)
  const value = records.concepts.find((c) => !isType(c))
  if (!value) return createEndedWrite(main, () => graph.real(main))
  const increments = [{ concept: value.id, by: String(n) }]
  return internals.write(records, 'update', main, { removeConnections, increments })
}

/** Returns the newest value of a field, or an empty string if the field has none. */
function textOf(client: Client, main: Id, field: string): string {
  const { graph } = internalsOf(client)
  const name = withoutPrefix(field)
  const values = graph.out(main, main).flatMap(({ to }) => graph.concept(to) ?? [])
  const value = values.findLast((c) => fieldNameOf(graph, c.type) === name)
  if (value?.composition) throw new WeftError('invalid', `${field} is a record, not a number`)
  return value?.value ?? ''
}
