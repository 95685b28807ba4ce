import { isShared } from '../model/concept.ts'
import { matchesDataType } from '../validate/data-type.ts'
import type { FieldData } from './fields.ts'
import { sentence } from './sentence.ts'
import {
  decodeScalar,
  encodeScalar,
  type FieldMap,
  isCreationTime,
  isLink,
  isNumeric,
  isPlainRecord,
  isStoredList,
  isStoredRecord,
  isText,
  isTime,
  readDefault,
  type Stored,
  type StoredRecord,
  sortedNames,
  storedIn,
  timeOf,
} from './values.ts'

/*
 * Typed records and the compositions that a store holds.
 *
 *   typed input ──encodeRecord, encodeChanges──▶ stored record, refusals ──▶ composition
 *   typed row   ◀──decodeRecord (decode.ts)── stored record, malformed paths ◀── composition
 *
 * Writing is loaded with the application, and reading with the queries. Go's package `schema` has the same rules; both run the cases
 * in `spec/record`.
 */

/** A reason why a record cannot be stored. The message is a sentence for the user. */
export interface Refusal {
  /** Path of the field, such as `address.city` or `tags.0`. */
  readonly field?: string
  readonly rule: string
  readonly message: string
}

interface Encoded<T> {
  readonly stored: T
  readonly refusals: readonly Refusal[]
}

/** Encodes the value of one field and checks it. */
export function encodeValue(name: string, field: FieldData, value: unknown): Encoded<Stored> {
  const converter = new Converter()
  const stored = converter.at(name, () => converter.encode(field, value))
  converter.withRefusalsOf((c) => c.at(name, () => c.check(field, stored)))
  return { stored, refusals: converter.refusals }
}

/** Encodes the fields of a new record and checks them. Fields without a value get their default. */
export function encodeRecord(
  fields: FieldMap,
  input: unknown,
  now: Date = new Date(),
): Encoded<StoredRecord> {
  const converter = new Converter({ now })
  const stored = converter.encodeFields(fields, input as Record<string, unknown>)
  converter.withRefusalsOf((c) => c.checkFields(fields, stored))
  converter.checkLinks(fields, input as Record<string, unknown>)
  return { stored, refusals: converter.refusals }
}

/**
 * Encodes and checks the fields of a record that may already exist. Fields without a value are left out, so that an
 * existing record keeps its values.
 */
export function encodeUpsert(fields: FieldMap, input: unknown): Encoded<StoredRecord> {
  const { refusals } = encodeRecord(fields, input)
  return {
    stored: new Converter().encodeFields(fields, input as Record<string, unknown>),
    refusals,
  }
}

/** Encodes changes and checks them. Undefined keeps a field; null removes it. */
export function encodeChanges(fields: FieldMap, input: unknown): Encoded<StoredRecord> {
  const converter = new Converter({ keepsNull: true })
  const stored = converter.encodeFields(fields, input as Record<string, unknown>)
  converter.withRefusalsOf((c) => {
    for (const [name, value] of Object.entries(stored))
      c.at(name, () => c.check(fields[name] as FieldData, value))
  })
  converter.checkLinks(fields, input as Record<string, unknown>)
  return { stored, refusals: converter.refusals }
}

/** Returns the refusals of a stored record. */
export function checkStored(fields: FieldMap, stored: StoredRecord): Encoded<StoredRecord> {
  const converter = new Converter()
  converter.checkFields(fields, stored)
  return { stored, refusals: converter.refusals }
}

/** Converts values and collects the refusals of those that do not fit. */
class Converter {
  readonly refusals: Refusal[] = []
  /** The time of creation, while a new record is encoded: fields without a value then get their default. */
  readonly #now: Date | undefined
  /** Whether fields that the input sets to null are kept as null, which removes them from the stored record. */
  #keepsNull: boolean
  /** Path of the current value. */
  #path: string[] = []

  constructor(options: { readonly now?: Date; readonly keepsNull?: boolean } = {}) {
    this.#now = options.now
    this.#keepsNull = options.keepsNull ?? false
  }

  at<T>(name: string, work: () => T): T {
    this.#path.push(name)
    const result = work()
    this.#path.pop()
    return result
  }

  refuse(rule: string, field?: FieldData): null {
    const path = this.#path.join('.')
    const refusal = { rule, message: sentence(field, rule, path) }
    this.refusals.push(path ? { field: path, ...refusal } : refusal)
    return null
  }

  /** Runs a check and adds its refusals, except those of values that are already refused. */
  withRefusalsOf(check: (converter: Converter) => void): void {
    const checked = new Converter()
    check(checked)
    const known = new Set(this.refusals.map((refusal) => refusal.field))
    this.refusals.push(...checked.refusals.filter((refusal) => !known.has(refusal.field)))
  }

  encode(field: FieldData, value: unknown): Stored {
    if (value === undefined || value === null) return null
    if (field.kind === 'list')
      return Array.isArray(value) ? this.#encodeItems(field, value) : this.refuse('kind', field)
    if (field.kind === 'record') {
      if (!isPlainRecord(value)) return this.refuse('kind', field)
      const keptNull = this.#keepsNull
      this.#keepsNull = false
      const stored = this.encodeFields(field.fields ?? {}, value)
      this.#keepsNull = keptNull
      return stored
    }
    return encodeScalar(field, value) ?? this.refuse('kind', field)
  }

  #encodeItems(field: FieldData, items: readonly unknown[]): Stored {
    const of = field.of as FieldData
    return items.map((item, index) =>
      this.at(String(index), () =>
        item === undefined || item === null ? this.refuse('kind', of) : this.encode(of, item),
      ),
    )
  }

  encodeFields(fields: FieldMap, input: Readonly<Record<string, unknown>>): StoredRecord {
    const stored: Record<string, Stored> = {}
    for (const [name, value] of Object.entries(input))
      if (value !== undefined && !Object.hasOwn(fields, name))
        this.at(name, () => this.refuse('unknown'))
    for (const name of sortedNames(fields)) {
      const field = fields[name] as FieldData
      if (isLink(field)) continue
      const given = Object.hasOwn(input, name) ? input[name] : undefined
      const value = this.at(name, () => this.encode(field, given ?? this.#defaultOf(field)))
      if (value !== null || (given !== undefined && this.#keepsNull)) stored[name] = value
    }
    return stored
  }

  #defaultOf(field: FieldData): unknown {
    if (!this.#now || !isCreationTime(field)) return this.#now && field.default
    const now = this.#now
    if (field.kind === 'dateTime') return now
    const [year, month, day] = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  }

  checkFields(fields: FieldMap, stored: StoredRecord): void {
    for (const name of sortedNames(fields)) {
      const field = fields[name] as FieldData
      if (isLink(field)) continue
      const value = storedIn(name, field, stored)
      if (value !== undefined || field.required)
        this.at(name, () => this.check(field, value ?? null))
    }
  }

  check(field: FieldData, stored: Stored): void {
    const { kind } = field
    if (stored === null) {
      if (field.required && readDefault(field) === undefined) this.refuse('required', field)
    } else if (kind === 'list' && isStoredList(stored))
      this.#checkList(field, Object.values(stored))
    else if (kind === 'record' && isStoredRecord(stored))
      this.checkFields(field.fields ?? {}, stored as StoredRecord)
    else if (kind === 'list' || kind === 'record' || typeof stored !== 'string')
      this.refuse('kind', field)
    else {
      const rule = violatedRule(field, stored)
      if (rule) this.refuse(rule, field)
    }
  }

  #checkList(field: FieldData, items: readonly Stored[]): void {
    const { length } = items
    const rule = field.required && length === 0 ? 'required' : violatedLimit(field, length, Number)
    if (rule) this.refuse(rule, field)
    for (const [index, item] of items.entries())
      this.at(String(index), () => this.check(field.of as FieldData, item))
  }

  /** Checks the links in typed fields. The inverse of a link is set on the other record. */
  checkLinks(fields: FieldMap, input: Readonly<Record<string, unknown>>): void {
    for (const name of sortedNames(fields)) {
      const field = fields[name] as FieldData
      if (!isLink(field)) continue
      const value = input[name]
      const isMissing = value === undefined ? this.#now !== undefined : value === null
      this.at(name, () => {
        if (field.inverse !== undefined && value !== undefined) this.refuse('unknown', field)
        else if (isMissing && field.required) this.refuse('required', field)
        else if (value !== undefined && value !== null && !isLinkValue(field, value))
          this.refuse('kind', field)
      })
    }
  }
}

/** Reports whether a typed value is an id, or a list of ids for a link to many. */
function isLinkValue({ kind }: FieldData, value: unknown): boolean {
  const isId = (id: unknown) => Number.isSafeInteger(id) && id !== 0
  return kind === 'many' ? Array.isArray(value) && value.every(isId) : isId(value)
}

/** The maximum length of a value in bytes of UTF-8. */
const maxTextBytes = 4 << 20

/** Returns the first rule that a stored value violates, or undefined. */
function violatedRule(field: FieldData, text: string): string | undefined {
  if (text.length > maxTextBytes / 3 && new TextEncoder().encode(text).length > maxTextBytes)
    return 'max'
  if (isText(field)) return violatedTextRule(field, text)
  const value = decodeScalar(field, text)
  if (value === undefined) return field.kind === 'choice' ? 'choices' : 'kind'
  // The store compares values as strings, so a unique value must be stored in its canonical form.
  if (field.unique && encodeScalar(field, value) !== text) return 'kind'
  if (isNumeric(field)) return violatedLimit(field, value as number, Number)
  if (isTime(field))
    return violatedLimit(field, encodeScalar(field, value) as string, (limit) =>
      timeOf(field, limit),
    )
  return field.kind === 'file'
    ? violatedLimit(field, (value as { size: number }).size, Number)
    : undefined
}

/**
 * Returns the first rule for text that a value violates. An empty string counts as missing: only `required` and `min`
 * apply to it.
 */
function violatedTextRule(field: FieldData, text: string): string | undefined {
  const { required, unique, format, pattern } = field
  if (text === '' && required) return 'required'
  const rule = violatedLimit(field, Array.from(text).length, Number)
  if (rule || text === '') return rule
  if (unique && !isShared(text)) return 'max'
  if (format && !matchesDataType(format, text)) return 'format'
  return pattern && !new RegExp(pattern, 'u').test(text) ? 'pattern' : undefined
}

function violatedLimit<T extends number | string>(
  { min, max }: FieldData,
  value: T,
  as: (limit: unknown) => T,
): string | undefined {
  if (min !== undefined && value < as(min)) return 'min'
  return max !== undefined && value > as(max) ? 'max' : undefined
}
