import type { Id } from './id.ts'

/*
 * Ids that have the same meaning in every store. Go's package `graph` lists all of them, in `fixed.go`.
 */

/** Category of words and of types named `the_x`: the concept `the`. */
export const categoryWord: Id = 1
/** Category of instances. */
export const categoryInstance: Id = 4
/** Type of words. Type names consist of words. */
export const word: Id = 51
/** Owner of shared records, and the user of guests. */
export const anonymous: Id = 999
/** Category of prototypes: `the_prototype_of`. */
export const categoryPrototype: Id = 5124
