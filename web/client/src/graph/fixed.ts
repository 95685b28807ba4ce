import type { Id } from './id.ts'

/** Ids that mean the same in every store. */
export const the: Id = 1
export const categoryInstance: Id = 4
export const typeConnection: Id = 16
export const word: Id = 51
export const anonymous: Id = 999
export const categoryPrototype: Id = 5124

/** Category of bare words and of `the_x` types. */
export const categoryWord: Id = the
