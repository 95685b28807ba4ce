import type { Client, Write } from '../api.ts'
import type { Draft } from '../composition/build.ts'
import { patch } from '../composition/patch.ts'
import { inside, type Reader } from '../composition/reader.ts'
import type { FieldsInput } from '../composition/value.ts'
import { orderPatch } from '../graph/connection.ts'
import { WeftError } from '../graph/error.ts'
import { type Id, isReal } from '../graph/id.ts'
import { insideOf } from '../inside.ts'
import { orHere } from './ask.ts'
import { batch, type Made } from './batch.ts'
import { unwritten } from './concept.ts'

/**
 * Replaces fields of a record inside a record, as `client.update` does those of a whole one. Throws `notFound` when
 * the record is not here or the other is not inside it.
 */
export function updateInside(
  client: Client,
  id: Id,
  of: Id,
  fields: FieldsInput,
  { access }: Made = {},
): Write {
  const here = insideOf(client)
  const { graph } = here
  const main = graph.name(id)
  const made = batch(here, access)
  const draft = made.draft(orderPatch)
  const gone = patchInside(graph, main, graph.name(of), fields, draft)
  if (draft.connections.length + gone.length === 0) return unwritten(here, main)
  return here.write(made.records(), 'update', main, [], gone)
}

/** As patch, of the record of inside the composition main. */
export function patchInside(
  graph: Reader,
  main: Id,
  of: Id,
  changes: FieldsInput,
  draft: Draft,
): Id[] {
  const holds = of === main || inside(graph, main).some((link) => link.to === of)
  if (!holds || !graph.concept(of)?.composition)
    throw new WeftError('notFound', `concept ${of} is not a record of composition ${main}`)
  return patch(graph, main, changes, draft, of)
}

/**
 * Removes a concept with its connections and the records inside it, which are fetched first, so that none stays
 * behind where the server answers.
 */
export async function removeWhole(client: Client, id: Id): Promise<Write> {
  const { graph, fetcher } = insideOf(client)
  if (isReal(graph.real(id))) await orHere((await fetcher()).again([id]))
  return client.remove(id)
}
