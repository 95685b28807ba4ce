import { WeftError } from '../graph/error.ts'
import { withoutPrefix } from '../graph/type.ts'

/** The name of a type as it is written. Throws `invalid` for what cannot be one. */
export function typeName(name: string): string {
  if (/^[^\s\p{Cc}]+$/u.test(name)) return name
  throw new WeftError('invalid', `a type has a name without spaces, not ${JSON.stringify(name)}`)
}

/**
 * The name of the type of a link that leaves a concept of a type: `the_person` and `friend` make
 * `the_person_friend`. A name that starts with `the_` is whole already.
 */
export const linkName = (source: string, relation: string): string =>
  typeName(relation.startsWith('the_') ? relation : `${source}_${relation}`)

/** As linkName, of a linker of former times: `the_person` and `friend_s` make `the_person_s_friend_s`. */
export const linkerName = (source: string, linker: string): string =>
  linkName(`${source}_s`, linker)

/**
 * As linkName, of a key in data: the key loses its `the_`, and one that is a number becomes nothing, which
 * leaves an underscore at the end.
 */
export const keyName = (source: string, key: string): string =>
  typeName(`${source}_${isNumber(key) ? '' : withoutPrefix(key)}`)

const isNumber = (key: string): boolean => /^[+-]?\d+(\.\d+)?$/.test(key)
