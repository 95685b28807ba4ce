import type { Id } from '../graph/id.ts'

/** How many ids a page has for itself. */
export const block = 2 ** 16

/** A number no other profile has chosen, 52 bits of chance: writes of two that are equal would be taken for each other's. */
export function randomNumber(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return (high >>> 12) * 2 ** 32 + low
}

/**
 * Hands out local ids, concepts and connections from one row of numbers. Alone says that no other page
 * hands out ids under the randomizer of this one.
 */
export function localIds(alone: boolean) {
  let next = 0
  let left = 0
  // For before the disk is read and after the block is used up: ids from a corner of the number space that
  // this page picked by chance and nobody else will pick. Engines are slower with numbers so large.
  let spare = alone ? -101 : -(2 ** 40) - randomNumber()
  const take = (): Id => (left-- > 0 ? next-- : spare--)
  /** From now on hands out the block below an id, which was reserved for this page. */
  const open = (above: Id): void => {
    next = above - 1
    left = block
  }
  return { concept: take, connection: take, open }
}
