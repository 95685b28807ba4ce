import type { Id } from '../model/id.ts'

/** Number of local ids that a page reserves for itself. */
export const idsPerPage = 2 ** 16

/**
 * Returns a random number of 52 bits. It is used as the number of a browser profile. Two profiles must not have the
 * same number, because the server would treat equal local ids of both as the same record.
 */
export function randomNumber(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return (high >>> 12) * 2 ** 32 + low
}

/**
 * Returns functions that assign local ids. Concepts and connections share one sequence. Set `isExclusive` if no other
 * page assigns ids under the same number of the browser profile.
 */
export function createLocalIds(isExclusive: boolean) {
  let next = 0
  let idsLeft = 0
  // Used before the disk is read, and after the block is used up: ids below a random point of the number space, which
  // no other page will choose. Engines are slower with such large numbers.
  let spare = isExclusive ? -101 : -(2 ** 40) - randomNumber()
  const nextId = (): Id => (idsLeft-- > 0 ? next-- : spare--)
  /** From now on, assigns ids from the block below `above`, which is reserved for this page. */
  const useBlock = (above: Id): void => {
    next = above - 1
    idsLeft = idsPerPage
  }
  return { concept: nextId, connection: nextId, useBlock }
}
