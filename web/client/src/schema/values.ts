import { parseJson } from '../wire/json.ts'
import type { FieldData, Instant } from './fields.ts'

/*
 * Conversion between typed values and the strings that a store holds. Go's package `schema` has the same rules; both
 * run the cases in `spec/value`.
 */

/**
 * The stored form of a value: a string, a list, or a nested record. Null means that the value is missing. In a record
 * that was read, the member `id` is a number; no field can have this name.
 */
export type Stored = string | number | readonly Stored[] | StoredRecord | null
export interface StoredRecord {
  readonly [name: string]: Stored
}

export type FieldMap = Readonly<Record<string, FieldData>>

export const isLink = ({ kind }: FieldData): boolean => kind === 'one' || kind === 'many'
export const isTime = ({ kind }: FieldData): boolean => kind === 'date' || kind === 'dateTime'
export const isText = ({ kind }: FieldData): boolean => kind === 'text' || kind === 'longText'
export const isNumeric = ({ kind }: FieldData): boolean => kind === 'integer' || kind === 'number'

/** Reports whether a value is an object with members, not a list, time or file. */
export function isPlainRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * Encodes a typed value that is neither a list nor a nested record as a string; undefined if the value does not fit the
 * field.
 */
export function encodeScalar(field: FieldData, value: unknown): string | undefined {
  const text = encodeText(field, value)
  return text === undefined || unstorable.test(text) ? undefined : text
}

function encodeText(field: FieldData, value: unknown): string | undefined {
  switch (field.kind) {
    case 'integer':
    case 'number':
      return fitsNumber(field, value) ? String(value || 0) : undefined
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : undefined
    case 'date':
      return canonicalDay(value)
    case 'dateTime':
      return canonicalInstant(value)
    case 'json':
      return encodeJson(value)
    case 'file': {
      const file = readFile(value)
      return file && JSON.stringify(file)
    }
    default:
      return typeof value === 'string' ? value : undefined
  }
}

/** Returns the typed value of a stored string; undefined if the string does not fit the kind. */
export function decodeScalar(field: FieldData, text: string): unknown {
  switch (field.kind) {
    case 'choice':
      return field.choices?.includes(text) ? text : undefined
    case 'integer':
    case 'number': {
      const n = jsonNumber.test(text) ? Number(text) : Number.NaN
      return fitsNumber(field, n) ? n || 0 : undefined
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'date':
      return canonicalDay(text)
    case 'dateTime': {
      const instant = canonicalInstant(text)
      return instant && new Date(instant)
    }
    case 'json':
      return parseJson(text)
    case 'file':
      return readFile(parseJson(text))
    default:
      return text
  }
}

/**
 * Reports whether conditions and orders compare a stored number by its value: it has at most 15 digits and no exponent.
 * They compare other numbers as strings.
 */
export const isComparableNumber = (text: string): boolean => /^(?:\D?\d){0,15}$/.test(text)

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

const fitsNumber = ({ kind }: FieldData, n: unknown): boolean =>
  kind === 'integer' ? Number.isSafeInteger(n) : Number.isFinite(n)

/** Returns a calendar day unchanged; undefined for a day that does not exist. */
function canonicalDay(day: unknown): string | undefined {
  if (typeof day !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(day) || day < '0001') return undefined
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : undefined
}

const instantSyntax =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Returns an instant as ISO 8601 in UTC with milliseconds; undefined for anything else, and for years outside 0001 to 9999. */
export function canonicalInstant(value: Instant | unknown): string | undefined {
  const time =
    typeof value === 'string'
      ? parseInstant(value)
      : value instanceof Date
        ? value.getTime()
        : Number((value as { epochMilliseconds?: number } | null)?.epochMilliseconds ?? Number.NaN)
  const text = Math.abs(time) < 8.64e15 ? new Date(Math.trunc(time)).toISOString() : ''
  return /^\d{4}-/.test(text) && text >= '0001' ? text : undefined
}

function parseInstant(text: string): number {
  const [, day, minute, second = '00', fraction = '', zone] = instantSyntax.exec(text) ?? []
  if (!canonicalDay(day)) return Number.NaN
  return Date.parse(`${day}T${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`)
}

function encodeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // A cycle or a bigint.
    return undefined
  }
}

/** Returns a stored file without further members; undefined if a member is invalid. Only the URL is required. */
function readFile(value: unknown): object | undefined {
  if (!isPlainRecord(value)) return undefined
  const { url, name, type, size } = value as Record<string, unknown>
  const isTextOrMissing = (text: unknown) => text == null || typeof text === 'string'
  if (typeof url !== 'string' || url === '' || !isTextOrMissing(name) || !isTextOrMissing(type))
    return undefined
  if (!Number.isSafeInteger(size ?? 0) || Number(size) < 0) return undefined
  return { url, name: name ?? '', type: type ?? '', size: size || 0 }
}

/** Returns a limit of a date or time field in the form in which times are stored. */
export const timeOf = (field: FieldData, limit: unknown): string =>
  encodeScalar(field, limit) ?? String(limit)

/** Matches NUL and half of a surrogate pair, which the graph does not store. */
const unstorable = /\0|\p{Surrogate}/u

/** Returns the stored value of a field, under its current name or a former name. */
export function storedIn<T>(
  name: string,
  { was = noNames }: FieldData,
  record: Readonly<Record<string, T>>,
): T | undefined {
  if (Object.hasOwn(record, name)) return record[name]
  const key = was.find((key) => Object.hasOwn(record, key))
  return key === undefined ? undefined : record[key]
}

/**
 * Returns the default with which a missing field is read. The defaults `today` and `now` are not used for reading,
 * because they need the time of creation.
 */
export const readDefault = (field: FieldData): unknown =>
  isCreationTime(field) ? undefined : field.default

export const isCreationTime = (field: FieldData): boolean =>
  (field.kind === 'date' && field.default === 'today') ||
  (field.kind === 'dateTime' && field.default === 'now')

/**
 * Returns the sorted names of fields. They are cached, because sorting them for each record would take most of the time
 * of reading it.
 */
export function sortedNames(fields: FieldMap): readonly string[] {
  let names = namesOf.get(fields)
  if (!names) {
    names = Object.keys(fields).sort()
    namesOf.set(fields, names)
  }
  return names
}

const noNames: readonly string[] = []
const namesOf = new WeakMap<FieldMap, readonly string[]>()

/**
 * Reports whether a stored value is a list. The graph does not distinguish an empty list from an empty record, so an
 * empty record counts as a list.
 */
export const isStoredList = (stored: Stored): stored is readonly Stored[] =>
  Array.isArray(stored) ||
  (isPlainRecord(stored) && Object.keys(stored).every((key) => key === 'id'))
export const isStoredRecord = (stored: Stored): stored is StoredRecord =>
  isPlainRecord(stored) || (Array.isArray(stored) && stored.length === 0)
