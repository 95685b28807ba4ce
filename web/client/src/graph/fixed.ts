import type { Id } from './id.ts'

/** Ids that mean the same in every store. */
/** Category of bare words and of `the_x` types: the concept `the`. */
export const categoryWord: Id = 1
export const categoryInstance: Id = 4
export const word: Id = 51
export const anonymous: Id = 999
/** Category of prototypes: `the_prototype_of`. */
export const categoryPrototype: Id = 5124
