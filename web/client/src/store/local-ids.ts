import type { Id } from '../model/id.ts'

/** Number of local ids that a page reserves for itself. */
export const idsPerPage = 2 ** 16

/**
 * Returns a random number of 52 bits. As a randomizer it must differ between browser profiles: the server would treat
 * equal local ids of two profiles as the same record.
 */
export function randomNumber(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return (high >>> 12) * 2 ** 32 + low
}

/**
 * Returns functions that assign local ids; concepts and connections share one sequence. Set `isExclusive` if no other
 * page assigns ids under the randomizer of this one.
 */
export function createLocalIds(isExclusive: boolean) {
  let next = 0
  let idsLeft = 0
  // Used before the disk is read, and after the block is used up: ids below a random point of the number space, which
  // no other page will choose. Engines are slower with such large numbers.
  let spare = isExclusive ? -101 : -(2 ** 40) - randomNumber()
  const nextId = (): Id => (idsLeft-- > 0 ? next-- : spare--)
  /** Assigns ids from now on from the block of ids below `above`, which was reserved for this page. */
  const useBlock = (above: Id): void => {
    next = above - 1
    idsLeft = idsPerPage
  }
  return { concept: nextId, connection: nextId, useBlock }
}
