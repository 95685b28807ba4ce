import type { FieldData } from './fields.ts'
import {
  decodeScalar,
  type FieldMap,
  isLink,
  isStoredList,
  isStoredRecord,
  readDefault,
  type Stored,
  type StoredRecord,
  sortedNames,
  storedIn,
} from './values.ts'

/**
 * A typed value, and the paths of stored values that do not fit the schema. Such a value is read as null, or left out
 * of its list.
 */
interface Decoded<T> {
  readonly value: T
  readonly malformed: readonly string[]
}

/** Decodes a stored value. */
export function decodeValue(name: string, field: FieldData, stored: Stored): Decoded<unknown> {
  const decoder = new Decoder()
  const value = decoder.at(name, () => decoder.decode(field, stored))
  return { value, malformed: decoder.malformed }
}

/** Decodes a composition. Parts that are not fields of the type are left out. */
export function decodeRecord(
  fields: FieldMap,
  stored: StoredRecord,
): Decoded<Record<string, unknown>> {
  const decoder = new Decoder()
  const value = decoder.decodeFields(fields, stored)
  return { value, malformed: decoder.malformed }
}

/** Decodes values and collects the paths of values that do not fit the schema. */
class Decoder {
  readonly malformed: string[] = []
  /** Path of the current value. */
  readonly #path: string[] = []

  at<T>(name: string, work: () => T): T {
    this.#path.push(name)
    const result = work()
    this.#path.pop()
    return result
  }

  decode(field: FieldData, stored: Stored): unknown {
    if (field.kind === 'list' && isStoredList(stored))
      return this.#decodeItems(field.of as FieldData, Array.isArray(stored) ? stored : [])
    if (field.kind === 'record' && isStoredRecord(stored)) {
      const { id } = stored
      const record = this.decodeFields(field.fields ?? {}, stored)
      return typeof id === 'number' ? { id, ...record } : record
    }
    const value =
      typeof stored === 'string' && field.kind !== 'list' && field.kind !== 'record'
        ? decodeScalar(field, stored)
        : undefined
    if (value !== undefined) return value
    this.malformed.push(this.#path.join('.'))
    return field.kind === 'list' ? [] : null
  }

  #decodeItems(of: FieldData, items: readonly Stored[]): unknown[] {
    return items.flatMap((item, index) =>
      this.at(String(index), () => {
        const before = this.malformed.length
        const value = this.decode(of, item)
        return this.malformed.length === before || value !== null ? [value] : []
      }),
    )
  }

  decodeFields(fields: FieldMap, stored: StoredRecord): Record<string, unknown> {
    const record: Record<string, unknown> = {}
    for (const name of sortedNames(fields)) {
      const field = fields[name] as FieldData
      if (isLink(field)) continue
      this.#path.push(name)
      record[name] = this.#decodeField(name, field, stored)
      this.#path.pop()
    }
    return record
  }

  #decodeField(name: string, field: FieldData, record: StoredRecord): unknown {
    const stored = storedIn(name, field, record)
    if (stored !== undefined) return this.decode(field, stored)
    return field.kind === 'list' ? [] : decodeDefault(field)
  }
}

/** Returns the typed default of a field that has no value; null if it has no default. */
function decodeDefault(field: FieldData): unknown {
  const value = readDefault(field)
  if (value === undefined) return null
  return field.kind === 'dateTime' ? new Date(value as string) : value
}
