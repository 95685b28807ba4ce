import type { Client, Write } from '../api.ts'
import { type FieldInput, type FieldsInput, maxDepth } from '../composition/value.ts'
import { internalsOf } from '../internals.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { withPrefix } from '../model/type.ts'
import { typeNameOf } from './create-link.ts'
import { type AccessOptions, type Batch, createBatch } from './record-batch.ts'
import { checkTypeName, keyRelation } from './type-names.ts'

export interface DataOptions extends AccessOptions {
  /** The concept that the data is linked from. It must be loaded unless `ofType` is given. */
  readonly of?: Id
  /** Name of the type of `of`. */
  readonly ofType?: string
}

/**
 * Writes nested data as linked concepts, in one write. `readData` reads it back.
 *
 *   key `city`         an instance of `the_city`, linked from its owner by `<type of the owner>_city`
 *   scalar             a value
 *   object             a composition
 *   list under `tags`  a composition of the type `the_tags_s`, whose items of the type `the_tags` are linked by
 *                      `the_tags_s_` in their order, so that empty and nested lists stay lists
 *
 * The id of the write is the id of the last key's instance. Throws `invalid`, with the path, for values that are not
 * data, such as dates. Throws `notFound` if `of` is not loaded and `ofType` is missing.
 */
export function createData(
  client: Client,
  json: FieldsInput,
  { of = 0, ofType, access }: DataOptions = {},
): Write {
  const internals = internalsOf(client)
  const batch = createBatch(internals, access)
  const source = ofType ?? (of ? typeNameOf(internals, of) : '')
  const path: string[] = []
  let last: { id: Id; type: string } | undefined
  for (const [key, value] of Object.entries(json)) last = addMember(of, source, key, value)
  if (!last) throw new WeftError('invalid', 'the data has no keys')
  return internals.write(batch.records(), 'create', last.id, { type: last.type })

  /** Adds the value of a key. */
  function addMember(owner: Id, ownerType: string, key: string, value: FieldInput) {
    const type = withPrefix(checkTypeName(key))
    return addInstance(owner, ownerType && keyRelation(ownerType, key), key, type, value)
  }

  function addInstance(owner: Id, name: string, key: string, type: string, value: FieldInput) {
    path.push(key)
    if (path.length > maxDepth) refuse(`is nested deeper than ${maxDepth} levels`)
    const isList = Array.isArray(value)
    const kind = isList ? `${type}_s` : type
    const id = addHeadOrValue(batch, kind, value, refuse)
    if (owner) batch.addConnection(owner, batch.addType(name), id)
    if (isList) value.forEach((item, i) => void addInstance(id, `${kind}_`, `${i}`, type, item))
    else if (isObject(value))
      for (const key of Object.keys(value)) addMember(id, kind, key, value[key] as FieldInput)
    path.pop()
    return { id, type: kind }
  }

  function refuse(reason: string): never {
    throw new WeftError('invalid', `${path.join('.').slice(0, 200)} ${reason}`)
  }
}

function addHeadOrValue(
  batch: Batch,
  type: string,
  value: FieldInput,
  refuse: (reason: string) => never,
): Id {
  if (!isObject(value)) return batch.addValue(type, value as string)
  const prototype = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== null && Object.getPrototypeOf(prototype) !== null)
    refuse(`is a ${prototype.constructor?.name ?? 'value'}, which is not data`)
  return batch.addValue(type, {})
}

const isObject = (value: FieldInput): value is FieldsInput =>
  typeof value === 'object' && value !== null
