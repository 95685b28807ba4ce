import type { Client, Write } from '../api.ts'
import type { FieldsInput } from '../composition/value.ts'
import { isShared } from '../graph/concept.ts'
import { type Id, isReal } from '../graph/id.ts'
import { withPrefix } from '../graph/type.ts'
import { type Inside, insideOf } from '../inside.ts'
import { batch, type Made, reaches } from './batch.ts'
import { typeName } from './name.ts'

/**
 * Makes a value. Its type gets `the_` in front. A text of at most 255 UTF-16 units that is here already, and
 * that the same people may read, is not made again: the write is then about that one. Longer texts and the
 * empty one are always new.
 */
export function createConcept(
  client: Client,
  type: string,
  value: string | number | boolean | null,
  { access = 4 }: Made = {},
): Write {
  const inside = insideOf(client)
  const name = withPrefix(typeName(type))
  const text = String(value)
  const { graph } = inside
  const twin = isShared(text) ? graph.find(name, text) : undefined
  if (twin && isReal(graph.real(twin.id)) && reaches(graph, twin, access))
    return unwritten(inside, twin.id)
  const made = batch(inside, access)
  const id = made.value(name, value)
  return inside.write(made.records(), 'create', id, [], [], name)
}

/** Makes a record, as `client.create`, for those who may read it. Its type is used as written. */
export function createRecord(
  client: Client,
  type: string,
  fields: FieldsInput,
  { access = 4 }: Made = {},
): Write {
  const inside = insideOf(client)
  const made = batch(inside, access)
  const id = made.value(typeName(type), fields)
  return inside.write(made.records(), 'create', id, [], [], type)
}

/** Makes a type, with all that its name is made of, unless the server has it. The name is used as written. */
export function createType(client: Client, name: string): Write {
  const inside = insideOf(client)
  const made = batch(inside)
  const id = made.type(typeName(name))
  return inside.write(made.records(), 'create', id)
}

/** For a write that has nothing to write. */
export function unwritten({ graph }: Inside, id: Id): Write {
  return { id, key: '', saved: Promise.resolve(), synced: Promise.resolve(graph.real(id)) }
}
