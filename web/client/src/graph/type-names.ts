import { WeftError } from '../model/error.ts'
import { withoutPrefix } from '../model/type.ts'

/** Returns the name unchanged if it is valid for a type. Throws `invalid` otherwise. */
export function checkTypeName(name: string): string {
  if (/^[^\s\p{Cc}]+$/u.test(name)) return name
  throw new WeftError(
    'invalid',
    `a type name is a string without spaces, not ${JSON.stringify(name)}`,
  )
}

/**
 * Returns the name of a link's type: `the_person_friend` for the source type `the_person` and the relation `friend`. A
 * relation that starts with `the_` is a full name.
 */
export const linkRelation = (source: string, relation: string): string =>
  checkTypeName(relation.startsWith('the_') ? relation : `${source}_${relation}`)

/** Returns the name of a legacy link: `the_person_s_friend_s` for `the_person` and `friend_s`. */
export const legacyRelation = (source: string, linker: string): string =>
  linkRelation(`${source}_s`, linker)

/**
 * Returns the name of the link to a member of nested data: `the_person_city` for `the_person` and the key `the_city`. A
 * number becomes the empty key: `the_person_`.
 */
export const keyRelation = (source: string, key: string): string =>
  checkTypeName(`${source}_${isNumber(key) ? '' : withoutPrefix(key)}`)

const isNumber = (key: string): boolean => /^[+-]?\d+(\.\d+)?$/.test(key)
