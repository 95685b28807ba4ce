import type { Client, UpdateOptions, Write } from '../api.ts'
import type { Draft } from '../composition/build.ts'
import { patch, type Target } from '../composition/patch.ts'
import { collectInside, type Reader } from '../composition/reader.ts'
import type { FieldsInput } from '../composition/value.ts'
import { internalsOf } from '../internals.ts'
import { orderPatch } from '../model/connection.ts'
import { WeftError } from '../model/error.ts'
import { type Id, isReal } from '../model/id.ts'
import { emptyWrite } from './create-concept.ts'
import { createBatch } from './record-batch.ts'
import { orLocal } from './server-requests.ts'

/**
 * Replaces fields of a nested record, as `client.update` does for an outer one. Throws `notFound` if the outer
 * record is not loaded or does not contain the nested one.
 *
 * @param id the outer record
 * @param of the nested record
 */
export function updateNestedRecord(
  client: Client,
  id: Id,
  of: Id,
  fields: FieldsInput,
  { access }: UpdateOptions = {},
): Write {
  const internals = internalsOf(client)
  const { graph } = internals
  const main = graph.canonical(id)
  const batch = createBatch(internals)
  const draft = batch.createDraft(orderPatch)
  const target = { main, of: graph.canonical(of), access }
  const removed = patchInside(graph, target, fields, draft)
  if (draft.connections.length + removed.length === 0) return emptyWrite(internals, main)
  return internals.write(batch.records(), 'update', main, { removeConnections: removed })
}

/** Like `patch`, but throws `notFound` if the composition does not contain the record. */
export function patchInside(
  graph: Reader,
  target: Target,
  changes: FieldsInput,
  draft: Draft,
): Id[] {
  const { main, of = main } = target
  const isInside = of === main || collectInside(graph, main).some((link) => link.to === of)
  if (!isInside || !graph.concept(of)?.composition)
    throw new WeftError('notFound', `concept ${of} is not a record of composition ${main}`)
  return patch(graph, target, changes, draft)
}

/**
 * Removes a concept with its connections and nested records. All of these are fetched first, so that none remains. While
 * the server is unavailable, only those that are loaded are removed.
 */
export async function removeWithNested(client: Client, id: Id): Promise<Write> {
  const { graph, fetcher } = internalsOf(client)
  if (isReal(graph.real(id))) await orLocal((await fetcher()).refetch([id]))
  return client.remove(id)
}
