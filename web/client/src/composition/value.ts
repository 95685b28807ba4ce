/** A composition to write. Numbers, booleans and null become text; the order of keys is kept. */
export interface FieldsInput {
  readonly [key: string]: FieldInput
}
export type FieldInput = string | number | boolean | null | FieldsInput | readonly FieldInput[]

/** A composition read back: texts, nested. */
export interface Fields {
  readonly [key: string]: FieldValue
}
export type FieldValue = string | Fields | readonly FieldValue[]

/** How deep records nest at most, the outermost object being the first. */
export const maxDepth = 100

/** The most values one reading of compositions, or one formatted answer, is made of. */
export const maxValues = 1_000_000

/** Sets a key, `__proto__` among them, as a property of the object's own. */
export function put(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
}
