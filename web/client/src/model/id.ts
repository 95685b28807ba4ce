/**
 * The id of a concept or a connection. Positive ids are real: a store assigned them. Negative ids are local: this
 * browser created them, and they remain valid after the sync. Zero means "no record".
 */
export type Id = number

/** Reports whether a store assigned this id. */
export const isReal = (id: Id): boolean => id > 0

/** Reports whether a client created this id. */
export const isLocal = (id: Id): boolean => id < 0
