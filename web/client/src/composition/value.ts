/** A composition to write. Numbers, booleans and null are stored as text. The order of keys is kept. */
export interface FieldsInput {
  readonly [key: string]: FieldInput
}
export type FieldInput = string | number | boolean | null | FieldsInput | readonly FieldInput[]

/** A composition that was read. Every value is a string. */
export interface Fields {
  readonly [key: string]: FieldValue
}
export type FieldValue = string | Fields | readonly FieldValue[]

/** The maximum nesting of records. The outermost object is level 1. */
export const maxDepth = 100

/** The maximum number of values in a composition that is read, or in a formatted answer. */
export const maxValues = 1_000_000

/** Sets an own property of the object, even for the key `__proto__`. */
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
