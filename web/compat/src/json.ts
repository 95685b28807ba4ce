import type { FieldsInput } from '@weft/client/internal'

/**
 * Converts data of an application to data that can be stored: dates, and numbers that JSON lacks, become strings, and
 * members without a value are left out. Returns undefined for anything but an object.
 */
export function toInput(json: unknown): FieldsInput | undefined {
  const input = convert(json)
  return typeof input === 'object' && input !== null ? (input as FieldsInput) : undefined
}

function convert(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => convert(item) ?? '')
  const members = Object.entries(value).map(([key, member]) => [key, convert(member)] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}
