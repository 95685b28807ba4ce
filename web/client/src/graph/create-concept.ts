import type { Client, Write } from '../api.ts'
import type { FieldsInput } from '../composition/value.ts'
import { type Internals, internalsOf } from '../internals.ts'
import { isShared } from '../model/concept.ts'
import { type Id, isReal } from '../model/id.ts'
import { withPrefix } from '../model/type.ts'
import { createEndedWrite } from '../sync/status.ts'
import { type AccessOptions, canShareValue, createBatch } from './record-batch.ts'
import { checkTypeName } from './type-names.ts'

/**
 * Creates a value. Its type gets the prefix `the_`. A loaded value with the same text and access is reused, and the
 * write is then empty. Empty values and values of more than 255 UTF-16 units are never reused.
 */
export function createConcept(
  client: Client,
  type: string,
  value: string | number | boolean | null,
  { access = 4 }: AccessOptions = {},
): Write {
  const internals = internalsOf(client)
  const name = withPrefix(checkTypeName(type))
  const text = String(value)
  const { graph } = internals
  const existing = isShared(text) ? graph.find(name, text) : undefined
  if (existing && isReal(graph.real(existing.id)) && canShareValue(graph, existing, access))
    return emptyWrite(internals, existing.id)
  const batch = createBatch(internals, access)
  const id = batch.addValue(name, value)
  return internals.write(batch.records(), 'create', id, { type: name })
}

/** Creates a record, as `client.create` does, with the given access. Its type is used as written. */
export function createRecord(
  client: Client,
  type: string,
  fields: FieldsInput,
  { access = 4 }: AccessOptions = {},
): Write {
  const internals = internalsOf(client)
  const batch = createBatch(internals, access)
  const id = batch.addValue(checkTypeName(type), fields)
  return internals.write(batch.records(), 'create', id, { type })
}

/** Creates a type, and the types that its name consists of, unless the server has them. The name is used as written. */
export function createType(client: Client, name: string): Write {
  const internals = internalsOf(client)
  const batch = createBatch(internals)
  const id = batch.addType(checkTypeName(name))
  return internals.write(batch.records(), 'create', id)
}

/** Returns a settled write for a change that needs no records. */
export function emptyWrite({ graph }: Internals, id: Id): Write {
  return createEndedWrite(id, graph.real(id))
}
