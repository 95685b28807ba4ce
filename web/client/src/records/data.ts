import type { Client, Write } from '../api.ts'
import { type FieldInput, type FieldsInput, maxDepth } from '../composition/value.ts'
import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { withPrefix } from '../graph/type.ts'
import { insideOf } from '../inside.ts'
import { type Batch, batch, type Made } from './batch.ts'
import { typeAt } from './link.ts'
import { keyName, typeName } from './name.ts'

export interface DataOptions extends Made {
  /** The concept that all of it belongs to. It must be here, or its type be named. */
  readonly of?: Id
  readonly ofType?: string
}

/**
 * Writes nested data as concepts that are linked by name, in one write. A key becomes an instance of its type,
 * `the_city`, linked from what it stands in by `<type of that>_city`; a text, a number, a boolean or null becomes a
 * value, an object a composition. A list is a composition of the type `the_tags_s` whose items, all of the type
 * `the_tags`, are linked by `the_tags_s_` in their order, so that it is a list also when it is empty or holds lists.
 *
 * The write is about what the last key at the top became. Throws `invalid`, naming the key, for what cannot be
 * kept, as dates, `notFound` when `of` is not here. `readData` reads it back.
 */
export function createData(
  client: Client,
  json: FieldsInput,
  { of = 0, ofType, access }: DataOptions = {},
): Write {
  const inside = insideOf(client)
  const made = batch(inside, access)
  const source = ofType ?? (of ? typeAt(inside, of) : '')
  const path: string[] = []
  let last: { id: Id; type: string } | undefined
  for (const [key, value] of Object.entries(json)) last = member(of, source, key, value)
  if (!last) throw new WeftError('invalid', 'there is no data')
  return inside.write(made.records(), 'create', last.id, [], [], last.type)

  /** What stands under a key. */
  function member(owner: Id, ownerType: string, key: string, value: FieldInput) {
    const type = withPrefix(typeName(key))
    return put(owner, ownerType && keyName(ownerType, key), key, type, value)
  }

  function put(owner: Id, name: string, key: string, type: string, value: FieldInput) {
    path.push(key)
    if (path.length > maxDepth) refuse(`is nested deeper than ${maxDepth} levels`)
    const list = Array.isArray(value)
    const kind = list ? `${type}_s` : type
    const id = headOrValue(made, kind, value, refuse)
    if (owner) made.connect(owner, made.type(name), id)
    if (list) value.forEach((item, i) => void put(id, `${kind}_`, `${i}`, type, item))
    else if (isObject(value))
      for (const key of Object.keys(value)) member(id, kind, key, value[key] as FieldInput)
    path.pop()
    return { id, type: kind }
  }

  function refuse(reason: string): never {
    throw new WeftError('invalid', `${path.join('.').slice(0, 200)} ${reason}`)
  }
}

function headOrValue(
  made: Batch,
  type: string,
  value: FieldInput,
  refuse: (reason: string) => never,
): Id {
  if (!isObject(value)) return made.value(type, value as string)
  const kind = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && kind !== null && Object.getPrototypeOf(kind) !== null)
    refuse(`is a ${kind.constructor?.name ?? 'thing'}, which is not data`)
  return made.value(type, {})
}

const isObject = (value: FieldInput): value is FieldsInput =>
  typeof value === 'object' && value !== null
