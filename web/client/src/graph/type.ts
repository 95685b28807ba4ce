/** What every type name starts with, except the bare words type names are made of. */
const prefix = 'the_'

/** The name with `the_` in front, once. The name `the` stays what it is. */
export const withPrefix = (name: string): string =>
  name === 'the' || name.startsWith(prefix) ? name : prefix + name

/** The name without a leading `the_`. */
export const withoutPrefix = (name: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name

/**
 * Splits a type name at its last underscore into the category it belongs to and its word:
 * `the_person_name` is `the_person` and `name`. Without an underscore, or with only a leading one, the
 * name is a bare word and has no category.
 */
export function splitType(name: string): { category?: string; word: string } {
  const i = name.lastIndexOf('_')
  return i <= 0 ? { word: name } : { category: name.slice(0, i), word: name.slice(i + 1) }
}

/**
 * The type concepts that must exist for a name, in the order they are made: `the_person_name` needs
 * `person`, `the_person`, `name`, `the_person_name`. `the` is fixed and needs nothing.
 */
export function typeChain(name: string): string[] {
  if (name === 'the') return []
  const { category, word } = splitType(name)
  return category === undefined ? [name] : [...typeChain(category), ...typeChain(word), name]
}
