/** The prefix of type names. The bare words of which type names consist do not have it. */
const prefix = 'the_'

/** Returns the name with the prefix `the_`. The name `the` is returned unchanged. */
export const withPrefix = (name: string): string =>
  name === 'the' || name.startsWith(prefix) ? name : prefix + name

/** Returns the name without the prefix `the_`. */
export const withoutPrefix = (name: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name

/**
 * Splits a type name at its last underscore into its category and its word: `the_person_name` into `the_person` and
 * `name`. A name without an underscore, or with only a leading one, is a bare word without a category.
 */
export function splitType(name: string): { category?: string; word: string } {
  const i = name.lastIndexOf('_')
  return i <= 0 ? { word: name } : { category: name.slice(0, i), word: name.slice(i + 1) }
}

/**
 * Returns the type concepts that must exist for a name, in the order in which they are created: for `the_person_name`,
 * `person`, `the_person`, `name`, `the_person_name`. `the` exists in every store.
 */
export function typeChain(name: string): string[] {
  if (name === 'the') return []
  const { category, word } = splitType(name)
  return category === undefined ? [name] : [...typeChain(category), ...typeChain(word), name]
}
