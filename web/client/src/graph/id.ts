/**
 * An id names a concept or a connection. Positive ids are real: a store gave them. Negative ids are
 * local: this browser invented them and keeps using them. Zero is nothing.
 */
export type Id = number

/** Says whether a store gave this id. */
export const isReal = (id: Id): boolean => id > 0

/** Says whether a client invented this id. */
export const isLocal = (id: Id): boolean => id < 0
