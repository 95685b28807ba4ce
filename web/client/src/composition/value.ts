/** A composition to write. Numbers, booleans and null are stored as text. The order of keys is kept. */
export interface FieldsInput {
  readonly [key: string]: FieldInput
}
export type FieldInput = string | number | boolean | null | FieldsInput | readonly FieldInput[]

/** A composition that was read: nested texts. */
export interface Fields {
  readonly [key: string]: FieldValue
}
export type FieldValue = string | Fields | readonly FieldValue[]

/** The maximum nesting of records. The outermost object is level 1. */
export const maxDepth = 100

/** The maximum number of values in one composition read, or in one formatted answer. */
export const maxValues = 1_000_000

/** Sets an own property of the object, also for the key `__proto__`. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
}
